// SPDX-License-Identifier: GPL-2.0
/* tracectl report --html: the page, its index as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>

#include "tools/lib/base/utf8.h"
#include "page.h"
#include "page-parts.h"

#define NODE_SHARE	50000	/* of all, of a stack that is shown */

__attribute__((format(printf, 2, 3)))
static void append(struct bytes *json, const char *format, ...)
{
	char text[256];
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	bytes_put(json, text, size);
}

static void put_string(struct bytes *json, const char *text)
{
	char shown[UTF8_VISIBLE_MAX];
	size_t size;

	bytes_byte(json, '"');
	for (; (size = utf8_json_character(text, shown)); text += size) {
		if (*text == '"' || *text == '\\')
			bytes_byte(json, '\\');
		bytes_put(json, shown, strlen(shown));
	}
	bytes_byte(json, '"');
}

static void put_key(struct bytes *json, const char *key)
{
	append(json, ",\"%s\":", key);
}

static const char *name_text(const struct page_name *name, char *buffer, size_t size)
{
	static const char nameless[] = "unknown code";
	const struct view_function *f = name->function;

	if (!f)
		return name->text;
	if (f->named)
		return f->name;
	if (!f->address)
		return f->name ? f->name : nameless;
	snprintf(buffer, size, "0x%" PRIx64 " (%s)", f->address, f->name ? f->name : "unknown");
	return buffer;
}

/* Files have many functions: by number. */
static void put_names(struct page *page, struct bytes *json)
{
	const char *last = NULL;
	char text[PATH_MAX];
	size_t files = 0;

	put_key(json, "files");
	bytes_byte(json, '[');
	for (size_t i = 0; i < page->name_count; i++) {
		const struct view_function *f = page->names[i].function;

		if (!f || !f->file || f->file == last)
			continue;
		append(json, files++ ? "," : "");
		put_string(json, f->file);
		last = f->file;
	}
	bytes_byte(json, ']');
	put_key(json, "names");
	bytes_byte(json, '[');
	last = NULL;
	files = 0;
	for (size_t i = 0; i < page->name_count; i++) {
		const struct page_name *name = &page->names[i];
		const struct view_function *f = name->function;

		append(json, i ? ",[" : "[");
		put_string(json, name_text(name, text, sizeof(text)));
		if (f && f->file) {
			files += f->file != last;
			last = f->file;
		}
		append(json, ",%zd,%u,\"%" PRIx64 "\"]", f && f->file ? (ssize_t)files - 1 : -1,
		       name->family, f ? f->address : 0);
	}
	bytes_byte(json, ']');
}

static void put_functions(struct page *page, struct bytes *json)
{
	put_key(json, "functions");
	bytes_byte(json, '[');
	for (size_t i = 0; i < page->name_count; i++) {
		const struct page_name *name = &page->names[i];

		append(json, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64, i ? "," : "", name->calls,
		       name->own, name->instructions);
		append(json, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64,
		       name->self, name->self_doubt, name->total, name->total_doubt, name->longest);
		append(json, ",%" PRId64 ",%" PRId64 ",%u]", name->longest_doubt, name->longest_at,
		       name->longest_lane);
	}
	bytes_byte(json, ']');
}

static void put_tiles(struct bytes *json, const struct tiles *tiles)
{
	bytes_byte(json, '[');
	for (size_t i = 0; i < tiles->count; i++) {
		const struct tile *tile = &tiles->list[i];

		append(json, "%s[%" PRId64 ",%" PRId64 ",%u,%u]", i ? "," : "", tile->first,
		       tile->last, tile->slices, tile->block);
	}
	bytes_byte(json, ']');
}

static void put_track(struct bytes *json, const char *key, const struct track *track)
{
	put_key(json, key);
	append(json, "{\"rows\":%zu,\"long\":[%" PRId64 ",%" PRIu64 "],\"levels\":[", track->rows,
	       track->long_count ? (int64_t)track->long_block : -1, track->long_count);
	for (int level = 0; level < LEVELS && track->tiles[level].count; level++) {
		append(json, level ? "," : "");
		put_tiles(json, &track->tiles[level]);
	}
	append(json, "]}");
}

static void put_lanes(struct page *page, struct bytes *json)
{
	bool any = false;

	put_key(json, "lanes");
	bytes_byte(json, '[');
	for (size_t i = 0; i < page->lane_count; i++) {
		const struct page_lane *lane = page->lanes[i];
		const struct view_lane *about;

		if (!lane)
			continue;
		about = view_lane(page->view, i);
		append(json, "%s{\"number\":%zu,\"pid\":%d,\"tid\":%d,\"hart\":%" PRIu64,
		       any ? "," : "", i, about ? about->pid : -1, about ? about->tid : -1,
		       about ? about->hart : 0);
		append(json, ",\"kernel\":%d,\"observer\":%d,\"instructions\":%" PRIu64, about &&
		       about->kernel, about && about->observer, lane->instructions);
		append(json, ",\"ran\":[%" PRId64 ",%" PRId64 "],\"calls\":%" PRIu64 ",\"comm\":",
		       lane->ran, lane->ran_doubt, lane->call_count);
		put_string(json, about ? about->comm : "");
		put_track(json, "slices", &lane->calls);
		put_track(json, "harts", &lane->harts);
		bytes_byte(json, '}');
		any = true;
	}
	bytes_byte(json, ']');
}

static void put_sources(struct page *page, struct bytes *json)
{
	put_key(json, "sources");
	bytes_byte(json, '[');
	for (size_t i = 0; i < page->source_count; i++) {
		const struct page_source *source = &page->sources[i];

		append(json, "%s{\"source\":%zu,\"hart\":%" PRIu64 ",\"instructions\":%" PRIu64,
		       i ? "," : "", i, source->hart, source->last.instructions);
		append(json, ",\"gaps\":%" PRIu64 ",\"losses\":%" PRIu64, source->gaps, source->losses);
		put_track(json, "lanes", &source->lanes);
		bytes_byte(json, '}');
	}
	bytes_byte(json, ']');
}

static void put_marks(struct bytes *json, const char *key, const struct marks *marks)
{
	put_key(json, key);
	append(json, "{\"count\":%" PRIu64 ",\"tiles\":", marks->count);
	put_tiles(json, &marks->tiles);
	bytes_byte(json, '}');
}

static void put_gap_kinds(struct page *page, struct bytes *json)
{
	put_key(json, "gapKinds");
	bytes_byte(json, '[');
	for (unsigned int i = 0; i < 32; i++) {
		append(json, "%s[%" PRIu64 ",", i ? "," : "", page->by_gap[i]);
		put_string(json, gap_text(i));
		bytes_byte(json, ']');
	}
	bytes_byte(json, ']');
}

/* What is at a node and above it */
struct weight {
	uint64_t own;
	int64_t self;
	uint32_t number;	/* in the page; of what is left out, that of where it counts */
	bool shown;
};

static struct weight *weigh(const struct page *page)
{
	struct weight *weights = calloc(page->node_count, sizeof(*weights));
	const struct node *nodes = page->nodes;

	if (!weights)
		return NULL;
	/* callees come after callers */
	for (size_t i = page->node_count; i--;) {
		weights[i].own += nodes[i].own;
		weights[i].self += nodes[i].self;
		if (i) {
			weights[nodes[i].parent].own += weights[i].own;
			weights[nodes[i].parent].self += weights[i].self;
		}
	}
	return weights;
}

/*
 * The stacks that can be seen: those with a share of time or instructions. What is at others counts
 * for the caller's node of them all, whose name is none.
 */
static int choose_nodes(struct page *page, struct weight *weights, struct node **chosen,
			size_t *count)
{
	uint64_t own = weights[0].own / NODE_SHARE;
	int64_t self = weights[0].self / NODE_SHARE;
	struct node *list = calloc(page->node_count * 2, sizeof(*list));
	uint32_t *rest = calloc(page->node_count, sizeof(*rest));

	*chosen = list;
	if (!list || !rest) {
		free(rest);
		return -ENOMEM;
	}
	*count = 1;
	list[0] = page->nodes[0];
	weights[0].shown = true;
	for (size_t i = 1; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];
		const struct weight *parent = &weights[node->parent];
		struct weight *weight = &weights[i];

		weight->shown = parent->shown && (!node->parent || weight->own > own ||
						  weight->self > self);
		if (weight->shown) {
			list[*count] = *node;
			list[*count].parent = parent->number;
			weight->number = (*count)++;
			continue;
		}
		page->merged++;
		weight->number = parent->shown ? rest[node->parent] : parent->number;
		if (!weight->number) {
			list[*count] = (struct node){ .parent = parent->number,
						      .name = page->name_count };
			rest[node->parent] = *count;
			weight->number = (*count)++;
		}
		list[weight->number].calls += node->calls;
		list[weight->number].own += node->own;
		list[weight->number].self += node->self;
	}
	free(rest);
	return 0;
}

static int store_nodes(struct page *page, uint32_t *block)
{
	struct weight *weights = weigh(page);
	struct bytes bytes = { };
	struct node *nodes = NULL;
	size_t count;
	int ret = weights ? choose_nodes(page, weights, &nodes, &count) : -ENOMEM;

	if (!ret) {
		bytes_number(&bytes, count);
		for (uint32_t i = 1; i < count; i++) {
			bytes_number(&bytes, i - nodes[i].parent);
			bytes_number(&bytes, nodes[i].name);
			bytes_number(&bytes, nodes[i].calls);
			bytes_number(&bytes, nodes[i].own);
			bytes_signed(&bytes, nodes[i].self);
		}
		ret = page_store(page, &bytes, RANK_TOTALS, block);
	}
	bytes_free(&bytes);
	free(nodes);
	free(weights);
	return ret;
}

static void put_general(struct page *page, struct bytes *json, uint32_t nodes)
{
	struct view *view = page->view;
	const char *unit = view_unit(view), *object = view->decode->input.object;

	append(json, "{\"schema\":1,\"unit\":");
	put_string(json, page->counts || !unit ? "instructions" : unit);
	append(json, ",\"rate\":%.17g,\"base\":%" PRIu64 ",\"shown\":%" PRId64,
	       page->counts ? 1 : page->rate, page->base, page->shown);
	append(json, ",\"end\":%" PRId64 ",\"endDoubt\":%" PRId64, page->end, page->end_doubt);
	append(json, ",\"slices\":%" PRIu64 ",\"unnested\":%" PRIu64 ",\"folded\":%" PRIu64
	       ",\"merged\":%" PRIu64, page->slices, page->unnested, page->folded, page->merged);
	append(json, ",\"buckets\":%d,\"fan\":%d,\"nodes\":%u", BUCKETS, FAN, nodes);
	put_key(json, "object");
	put_string(json, object ? object : "");
}

static int store_index(struct page *page, uint32_t *number)
{
	struct bytes json = { };
	uint32_t nodes;
	int ret = store_nodes(page, &nodes);

	if (ret)
		return ret;
	put_general(page, &json, nodes);
	put_names(page, &json);
	put_functions(page, &json);
	put_lanes(page, &json);
	put_sources(page, &json);
	put_marks(&json, "marks", &page->marks);
	put_marks(&json, "gaps", &page->gaps);
	put_gap_kinds(page, &json);
	bytes_byte(&json, '}');
	ret = page_store(page, &json, RANK_INDEX, number);
	bytes_free(&json);
	return ret;
}

static int put_block(struct page *page, struct out *out, uint32_t number, bool index)
{
	int ret;

	if (index)
		out_text(out, "<script type=\"text/x-rvtrace\" id=\"index\">");
	else
		out_format(out, "<script type=\"text/x-rvtrace\" id=\"b%u\">", number);
	ret = page_put_block(page, out, number);
	out_text(out, "</script>\n");
	return ret;
}

static int put_blocks(struct page *page, struct out *out, enum block_rank first,
		      enum block_rank last)
{
	int ret = 0;

	for (unsigned int rank = first; rank <= last; rank++)
		for (uint32_t i = 0; i < page->block_count && !ret; i++)
			if (page->blocks[i].rank == rank)
				ret = put_block(page, out, i, false);
	return ret;
}

int page_write(struct page *page)
{
	struct out *out = &page->view->decode->out;
	uint32_t index;
	int ret = store_index(page, &index);

	if (!ret && fflush(page->spill))
		ret = -errno;
	if (ret)
		return ret;
	out_bytes(out, page_part_1, sizeof(page_part_1));
	ret = put_block(page, out, index, true);
	if (!ret)
		ret = put_blocks(page, out, RANK_SUMMARY, RANK_SUMMARY);
	out_bytes(out, page_part_2, sizeof(page_part_2));
	if (!ret)
		ret = put_blocks(page, out, RANK_TOTALS, RANK_TILE);
	out_bytes(out, page_part_3, sizeof(page_part_3));
	return ret;
}
