// SPDX-License-Identifier: GPL-2.0
/* E-Trace packet layer: parameters of the encoder. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <json-c/json.h>

#include <rvtrace/etrace.h>
#include <rvtrace/recording.h>

#define VECTORS		"selftests/vectors/etrace/"
#define REQUIRED	"arch_p=0\nbpred_size_p=0\ncache_size_p=0\ncall_counter_size_p=0\n" \
			"context_width_p=32\ntime_width_p=1\necause_width_p=5\nf0s_width_p=0\n" \
			"iaddress_lsb_p=1\niaddress_width_p=64\nnocontext_p=0\nnotime_p=1\n" \
			"privilege_width_p=2\nreturn_stack_size_p=0\nsijump_p=0\n"
#define MEMBERS		"\"arch\":0,\"bpred_size\":0,\"cache_size\":0,\"call_counter_size\":0," \
			"\"context_width_p\":32,\"time_width\":1,\"ecause_width\":5," \
			"\"f0s_width\":0,\"iaddress_lsb\":1,\"iaddress_width_p\":64," \
			"\"nocontext\":false,\"notime\":1,\"privilege_width\":2," \
			"\"return_stack_size\":0,\"sijump\":0"

static int load_text(const char *text, struct rvtrace_etrace_params *params,
		     struct rvtrace_failure *error)
{
	char path[] = "/tmp/rvtrace-etrace-XXXXXX";
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	ret = rvtrace_etrace_params_load(path, params, error);
	if (ret)
		assert_int_equal(strncmp(error->text, path, strlen(path)), 0);
	unlink(path);
	return ret;
}

/* What is wrong, and its name, is in the text. */
static void refused(const char *text, const char *name, const char *what)
{
	struct rvtrace_failure error = { 0 };
	struct rvtrace_etrace_params params;

	assert_int_equal(load_text(text, &params, &error), -EBADMSG);
	if (!strstr(error.text, name) || !strstr(error.text, what))
		fail_msg("%s: not told: %s, %s", error.text, name, what);
	/* Nobody needs to ask. */
	assert_int_equal(load_text(text, &params, &error), -EBADMSG);
}

static void static_config_file_of_the_reference_flow(void **state)
{
	struct rvtrace_failure error;
	struct rvtrace_etrace_params params;

	(void)state;
	assert_int_equal(rvtrace_etrace_params_load(VECTORS "itype4_fake_scf-xrle/xrle.scf",
						    &params, &error), 0);
	assert_int_equal(params.iaddress_width, 32);
	assert_int_equal(params.iaddress_lsb, 1);
	assert_int_equal(params.context_width, 32);
	assert_int_equal(params.nocontext, 0);
	assert_int_equal(params.time_width, 1);
	assert_int_equal(params.notime, 0);
	assert_int_equal(params.ecause_width, 5);
	assert_int_equal(params.return_stack_size, 7);
	assert_int_equal(params.sijump, 1);
	assert_int_equal(params.comparators, 1);
	assert_int_equal(params.itype_width, 4);
	assert_int_equal(params.taken_branches, 1);
	assert_int_equal(params.srcid_width, 0);
	assert_int_equal(params.ioptions_width, 5);
	assert_int_equal(rvtrace_etrace_params_load(VECTORS "implicit_return_cc7-xrle/xrle.scf",
						    &params, NULL), 0);
	assert_int_equal(params.call_counter_size, 7);
}

static void white_space_comments_and_headings(void **state)
{
	struct rvtrace_failure error;
	struct rvtrace_etrace_params params;

	(void)state;
	assert_int_equal(load_text("# comment = 1\r\n[Heading]\r\n" REQUIRED
				   "  srcid_width\t = 0x6   # bits\n\nsrcid_width_p=6\n",
				   &params, &error), 0);
	assert_int_equal(params.srcid_width, 6);
	assert_int_equal(params.iaddress_width, 64);
}

static void every_required_attribute_is_missed(void **state)
{
	char text[sizeof(REQUIRED)], name[64];
	const char *line, *next, *end;
	unsigned int count = 0;

	(void)state;
	for (line = REQUIRED; *line; line = next) {
		next = strchr(line, '\n') + 1;
		end = strstr(line, "_p=");
		snprintf(name, sizeof(name), "%.*s is missing", (int)(end - line), line);
		snprintf(text, sizeof(text), "%.*s%s", (int)(line - REQUIRED), REQUIRED, next);
		/* Without it, nobody needs a width. */
		if (strncmp(line, "time_width", 10)) {
			refused(text, name, "");
			count++;
		} else {
			assert_int_equal(load_text(text, &(struct rvtrace_etrace_params){},
						   &(struct rvtrace_failure){}), 0);
		}
	}
	assert_int_equal(count, 14);
	refused("", "not a text", "");
	refused("# nothing\n", "arch, bpred_size, cache_size", "sijump are missing");
}

static void what_contradicts_is_told(void **state)
{
	(void)state;
	refused(REQUIRED "iaddress_width_p=32\n", "iaddress_width", "was 64 before");
	refused(REQUIRED "iaddres_width_p=32\n", "iaddres_width_p", "not a parameter");
	refused(REQUIRED "srcid_width=17\n", "srcid_width", "out of range");
	refused(REQUIRED "srcid_width=-1\n", "srcid_width", "not a number");
	refused(REQUIRED "srcid_width=\n", "srcid_width", "not a number");
	refused(REQUIRED "srcid_width=1x\n", "srcid_width", "not a number");
	refused(REQUIRED "srcid_width=99999999999999999999999\n", "srcid_width", "not a number");
	refused(REQUIRED "srcid_width\n", "srcid_width", ":16");
	refused(REQUIRED "=1\n", "=1", ":16");
	refused(REQUIRED "timestamp_width=12\n", "timestamp_width", "bytes");
	refused(REQUIRED "data_width=48\n", "data_width", "power of 2");
	refused(REQUIRED "type_width=1\ntype_inst=2\n", "type_inst", "type_width");
	refused(REQUIRED "type_width=1\ntype_data=2\n", "type_data", "type_width");
	refused(REQUIRED "type_width=1\ntype_inst=1\n", "type_data", "same");
	refused(REQUIRED "ioptions_width=4\n", "ioptions_width", "no room");
	refused(REQUIRED "option_no_data=0\n", "doptions_width", "no room");
	refused("nocontext=0\ncontext_width=0\narch=0\nbpred_size=5\ncache_size=5\n"
		"call_counter_size=0\ntime_width=0\necause_width=5\nf0s_width=1\n"
		"iaddress_lsb=1\niaddress_width=64\nnotime=1\nprivilege_width=2\n"
		"return_stack_size=0\nsijump=0\n", "context_width", "nocontext");
	refused("nocontext=1\narch=0\nbpred_size=5\ncache_size=5\n"
		"call_counter_size=0\ntime_width=0\necause_width=5\nf0s_width=0\n"
		"iaddress_lsb=1\niaddress_width=64\nnotime=1\nprivilege_width=2\n"
		"return_stack_size=0\nsijump=0\n", "f0s_width", "bpred_size");
	refused("nocontext=1\narch=0\nbpred_size=5\ncache_size=0\n"
		"call_counter_size=0\ntime_width=10\necause_width=5\nf0s_width=0\n"
		"iaddress_lsb=1\niaddress_width=64\nnotime=0\nprivilege_width=2\n"
		"return_stack_size=0\nsijump=0\nprotocol_minor=1\n", "time_width", "standard");
}

/* As published packets have them: irdepth is as wide as both together, whoever infers returns. */
#define BOTH	"arch=0\nbpred_size=5\ncache_size=0\ncall_counter_size=1\nnocontext=1\n" \
		"notime=1\necause_width=6\nf0s_width=1\niaddress_lsb=0\niaddress_width=64\n" \
		"privilege_width=3\nreturn_stack_size=1\nsijump=0\nencoder_mode_width=32\n" \
		"ioptions_width=32\ndenable_width=1\ndloss_width=1\ndoptions_width=32\n"

static void return_stack_and_call_counter(void **state)
{
	struct rvtrace_etrace_te_inst on = { .modes = RVTRACE_ETRACE_IMPLICIT_RETURN };
	struct rvtrace_failure error;
	struct rvtrace_etrace_params params;

	(void)state;
	assert_int_equal(load_text(BOTH, &params, &error), 0);
	assert_int_equal(rvtrace_etrace_irdepth_width(&params), 3);
	assert_int_equal(params.encoder_mode_width, 32);
	assert_int_equal(rvtrace_etrace_params_support(&params, &on), RVTRACE_ERR_FIELD);
	refused(BOTH "mode_implicit_return=1\n", "call_counter_size", "iret_ext");
	assert_int_equal(load_text(BOTH "mode_implicit_return=1\niret_ext=1\n", &params, &error),
			 0);
}

static void json_objects(void **state)
{
	struct rvtrace_failure error;
	struct rvtrace_etrace_params params;

	(void)state;
	assert_int_equal(load_text("{" MEMBERS ",\"split\":true}", &params, &error), 0);
	assert_int_equal(params.iaddress_width, 64);
	assert_int_equal(params.context_width, 32);
	assert_int_equal(params.nocontext, 0);
	assert_int_equal(params.split, 1);
	assert_int_equal(load_text("\n{\"etrace\":{" MEMBERS "},\"other\":[]}", &params,
				   &error), 0);
	assert_int_equal(params.ecause_width, 5);
	refused("{" MEMBERS ",\"nonsense\":1}", "nonsense", "not a parameter");
	refused("{" MEMBERS ",\"split\":\"1\"}", "split", "not a number");
	refused("{" MEMBERS ",\"split\":-1}", "split", "not a number");
	refused("{" MEMBERS ",\"split\":2}", "split", "out of range");
	refused("{\"arch\":0}", "bpred_size", "missing");
	refused("{\"arch\":0", "", "");
	refused("{\"etrace\":1}", "etrace", "not a parameter");
}

#define SOURCE(name, format, rest) \
	"{\"component\":\"" name "\",\"format\":\"" format "\"" rest "}"
#define METADATA(sources)	"{\"schema\":2,\"sinks\":[{\"sources\":[" sources "]}]}"
#define ETRACE(more)		",\"etrace\":{" MEMBERS more "}"

static void metadata_of_a_recording(void **state)
{
	struct rvtrace_failure error;
	struct rvtrace_etrace_params params;

	(void)state;
	assert_int_equal(load_text(METADATA(SOURCE("encoder0", "ntrace", "") ","
					    SOURCE("encoder1", "etrace", ETRACE("")) ","
					    SOURCE("encoder2", "etrace", ETRACE(""))),
				   &params, &error), 0);
	assert_int_equal(params.iaddress_width, 64);
	refused(METADATA(SOURCE("encoder0", "ntrace", "")), "no source", "");
	refused(METADATA(SOURCE("encoder7", "etrace", "")), "encoder7", "missing");
	refused(METADATA(SOURCE("encoder1", "etrace", ETRACE("")) ","
			 SOURCE("encoder2", "etrace", ETRACE(",\"split\":1"))), "encoder2",
		"source before");
	refused(METADATA(SOURCE("encoder1", "etrace", ETRACE(",\"split\":7"))), "encoder1",
		"split");
}

static void files_that_cannot_be_read(void **state)
{
	struct rvtrace_failure error;
	struct rvtrace_etrace_params params;

	(void)state;
	assert_int_equal(rvtrace_etrace_params_load("/nonexistent/params", &params, &error),
			 -ENOENT);
	assert_non_null(strstr(error.text, "/nonexistent/params"));
	assert_int_equal(rvtrace_etrace_params_load("/nonexistent/params", &params, NULL),
			 -ENOENT);
	assert_int_equal(rvtrace_etrace_params_load("/", &params, &error), -EISDIR);
	assert_int_equal(rvtrace_etrace_params_load("/dev/zero", &params, &error), -EBADMSG);
}

/* Each can be set, asked for and written, and is read again. */
static void all_parameters_by_name(void **state)
{
	static const uint8_t values[] = { 8, 16, 0, 1, 2 };
	struct rvtrace_etrace_params params, again, defaults;
	struct rvtrace_failure error;
	struct json_object *object;
	unsigned int value, before;
	const char *name;
	size_t i, k;

	(void)state;
	rvtrace_etrace_params_default(&defaults);
	assert_int_equal(rvtrace_etrace_params_check(&defaults, NULL, NULL), 0);
	for (i = 0; rvtrace_etrace_param(&defaults, i, &name, &before); i++) {
		params = defaults;
		for (k = 0; k < sizeof(values); k++)
			if (values[k] != before &&
			    !rvtrace_etrace_params_set(&params, name, values[k]))
				break;
		assert_true(rvtrace_etrace_param(&params, i, &name, &value));
		assert_int_not_equal(value, before);
		if (rvtrace_etrace_params_check(&params, NULL, NULL))
			continue;
		object = rvtrace_etrace_params_to_json(&params);
		assert_int_equal(rvtrace_etrace_params_from_json(object, "test", &again, &error),
				 0);
		json_object_put(object);
		assert_memory_equal(&params, &again, sizeof(params));
	}
	assert_true(i > 70);
	assert_false(rvtrace_etrace_param(&defaults, i, &name, &value));
	assert_int_equal(rvtrace_etrace_params_set(&params, "nonsense", 1), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_etrace_params_set(&params, "arch_", 1), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_etrace_params_set(&params, "arch_p", 256), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_etrace_params_set(&params, "option_sijump", 255), 0);
	assert_int_equal(rvtrace_etrace_params_set(&params, "option_sijump", 32),
			 RVTRACE_ERR_INVALID);
}

/* E-Trace 2.0, "Discovery of encoder parameters": attributes are one less than most widths. */
static void defaults_of_the_specification(void **state)
{
	struct rvtrace_etrace_params params;

	(void)state;
	rvtrace_etrace_params_default(&params);
	assert_int_equal(params.context_width, 1);
	assert_int_equal(params.time_width, 1);
	assert_int_equal(params.ecause_width, 4);
	assert_int_equal(params.iaddress_lsb, 1);
	assert_int_equal(params.iaddress_width, 32);
	assert_int_equal(params.nocontext, 1);
	assert_int_equal(params.notime, 1);
	assert_int_equal(params.privilege_width, 2);
	assert_int_equal(params.ecause_choice, 5);
	assert_int_equal(params.itype_width, 4);
	assert_int_equal(params.data_width, 32);
	assert_int_equal(params.modes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(static_config_file_of_the_reference_flow),
		cmocka_unit_test(white_space_comments_and_headings),
		cmocka_unit_test(every_required_attribute_is_missed),
		cmocka_unit_test(what_contradicts_is_told),
		cmocka_unit_test(return_stack_and_call_counter),
		cmocka_unit_test(json_objects),
		cmocka_unit_test(metadata_of_a_recording),
		cmocka_unit_test(files_that_cannot_be_read),
		cmocka_unit_test(all_parameters_by_name),
		cmocka_unit_test(defaults_of_the_specification),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
