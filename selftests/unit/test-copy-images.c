// SPDX-License-Identifier: GPL-2.0
/* Files that processes mapped, copied into a recording: those files, and not more than there is room for. */
#include <dirent.h>
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/statvfs.h>

#include <cmocka.h>

#include "recording-fixture.h"
#include "tools/lib/base/file.h"
#include "tools/tracectl/record/images.h"
#include "tools/tracectl/tracectl.h"

#define MIB	(1LL << 20)

static struct fixture *f;
static struct json_object *maps;
static uint64_t free_bytes;
static char told[4096];
static void (*look)(void);	/* as a file is to be copied */

/* In place of the terminal */

static void tell(const char *format, va_list args)
{
	size_t used = strlen(told);

	vsnprintf(told + used, sizeof(told) - used, format, args);
	strncat(told, "\n", sizeof(told) - strlen(told) - 1);
}

void error_text(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(format, args);
	va_end(args);
}

void warn_text(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(format, args);
	va_end(args);
}

void progress_start(struct progress *progress, FILE *output, bool at_end)
{
	(void)progress;
	(void)output;
	(void)at_end;
}

void progress_show(struct progress *progress, uint64_t done, uint64_t total, const char *format, ...)
{
	(void)progress;
	(void)done;
	(void)total;
	(void)format;
}

void progress_end(struct progress *progress)
{
	(void)progress;
}

/* In place of the kernel */
int fstatvfs(int fd, struct statvfs *fs)
{
	(void)fd;
	*fs = (struct statvfs) { .f_bavail = free_bytes / 512, .f_frsize = 512 };
	if (look)
		look();
	return 0;
}

static int begin(void **state)
{
	if (set_up(state))
		return -1;
	f = *state;
	maps = json_object_new_array();
	free_bytes = 1ULL << 40;
	told[0] = 0;
	look = NULL;
	return 0;
}

static int end(void **state)
{
	json_object_put(maps);
	return tear_down(state);
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", f->folder, name);
	return path;
}

/* @text at the end of a hole; 0: without one */
static void make(const char *name, const char *text, int64_t hole)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_int_equal(pwrite(fd, text, strlen(text), hole), strlen(text));
	close(fd);
}

static void add(struct json_object *object, const char *name, int64_t value)
{
	json_object_object_add(object, name, json_object_new_int64(value));
}

/* @device, @inode: added to what the file has */
static void map(int pid, const char *name, int device, int inode)
{
	struct json_object *process = json_object_new_object(), *file = json_object_new_object();
	struct json_object *files = json_object_new_array();
	struct stat st;

	assert_int_equal(stat(path_of(name), &st), 0);
	add(file, "start", 0x1000);
	add(file, "end", 0x2000);
	add(file, "offset", 0);
	json_object_object_add(file, "path", json_object_new_string(path_of(name)));
	if (inode >= 0) {
		add(file, "device", st.st_dev + device);
		add(file, "inode", st.st_ino + inode);
	}
	json_object_array_add(files, file);
	add(process, "pid", pid);
	add(process, "time", 1);
	json_object_object_add(process, "comm", json_object_new_string("x"));
	if (pid == 1)
		json_object_object_add(process, "role", json_object_new_string("command"));
	json_object_object_add(process, "maps", files);
	json_object_array_add(maps, process);
}

/* Return: how many files it has. */
static int copy(void)
{
	struct rvtrace_recorder *recorder = test_recorder(f->path, RVTRACE_RECORDING_SEGMENT_MIN, 0);
	int directory = open(f->path, O_RDONLY | O_DIRECTORY), images = 0;
	struct images *all;
	struct dirent *entry;
	DIR *folder;
	size_t i;

	mkdirat(directory, "images", 0700);
	for (i = 0; i < json_object_array_length(maps); i++)
		assert_int_equal(rvtrace_recording_append_line(directory, "images/maps.jsonl",
							       json_object_array_get_idx(maps, i),
							       &f->error), 0);
	assert_int_equal(rvtrace_recorder_finish(recorder, &f->error), 0);
	rvtrace_recorder_free(recorder);
	all = images_new(f->path);
	assert_non_null(all);
	assert_int_equal(images_copy_files(all, COPY_ALL), 0);
	assert_int_equal(images_finish(all), 0);
	images_free(all);
	folder = fdopendir(openat(directory, "images", O_RDONLY | O_DIRECTORY));
	while ((entry = readdir(folder)))
		images += entry->d_name[0] != '.' && !strchr(entry->d_name, '.');
	closedir(folder);
	close(directory);
	return images;
}

static void a_file_that_was_mapped_is_copied(void **state)
{
	(void)state;
	make("a", "abc", 0);
	map(1, "a", 0, 0);
	map(2, "a", 0, 0);
	assert_int_equal(copy(), 1);
	assert_string_equal(told, "");
}

static void another_file_under_its_name_is_not(void **state)
{
	(void)state;
	make("a", "abc", 0);
	make("b", "def", 0);
	make("c", "ghi", 0);
	map(1, "a", 0, 1);
	map(2, "b", 1, 0);
	map(3, "c", 0, -1);
	assert_int_equal(copy(), 0);
	assert_non_null(strstr(told, "/a: not the file that was mapped (by its inode)"));
	assert_non_null(strstr(told, "/b: not the file that was mapped (by its inode)"));
	assert_non_null(strstr(told, "/c: not the file that was mapped (by its inode)"));
}

static void one_name_of_two_files_keeps_nobody_from_copying(void **state)
{
	(void)state;
	make("a", "abc", 0);
	map(2, "a", 0, 1);
	map(3, "a", 0, 0);
	assert_int_equal(copy(), 1);
}

/* The smallest ELF file with a build id */
static void make_elf(const char *name, const char *text)
{
	static const struct {
		Elf64_Ehdr header;
		Elf64_Phdr note;
		struct { uint32_t name, size, type; char owner[4]; uint8_t id[4]; } build_id;
	} elf = {
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT },
			.e_type = ET_DYN, .e_machine = EM_RISCV, .e_version = EV_CURRENT,
			.e_phoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
		},
		.note = {
			.p_type = PT_NOTE, .p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
			.p_filesz = 20, .p_memsz = 20, .p_align = 4,
		},
		.build_id = { 4, 4, NT_GNU_BUILD_ID, "GNU", { 1, 2, 3, 4 } },
	};
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_int_equal(write(fd, &elf, sizeof(elf)), sizeof(elf));
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void a_build_id_that_was_copied_replaces_nothing(void **state)
{
	struct rvtrace_recording *recording;

	(void)state;
	make_elf("evil", "forged");
	make_elf("libc", "true");
	map(2, "evil", 0, 0);
	map(3, "libc", 0, 0);
	assert_int_equal(copy(), 2);
	assert_int_equal(rvtrace_recording_open(f->path, &recording, &f->error), 0);
	assert_int_equal(rvtrace_recording_verify(recording, &f->error), 0);
	assert_null(rvtrace_recording_damage(recording, 0));
	rvtrace_recording_free(recording);
}

static void holes_stay_holes(void **state)
{
	struct dirent *entry;
	struct stat st;
	DIR *folder;

	(void)state;
	make("a", "abc", 64 * MIB);
	map(2, "a", 0, 0);
	assert_int_equal(copy(), 1);
	snprintf(told, sizeof(told), "%s/images", f->path);
	folder = opendir(told);
	while ((entry = readdir(folder))) {
		fstatat(dirfd(folder), entry->d_name, &st, 0);
		if (S_ISREG(st.st_mode) && !strchr(entry->d_name, '.')) {
			assert_int_equal(st.st_size, 64 * MIB + 3);
			assert_true(st.st_blocks * 512 < MIB);
		}
	}
	closedir(folder);
}

static void others_have_limits_the_command_has_not(void **state)
{
	int i;
	char name[8];

	(void)state;
	make("own", "abc", 256 * MIB);
	make("large", "def", 256 * MIB);
	map(2, "own", 0, 0);
	map(20, "large", 0, 0);
	map(1, "own", 0, 0);
	for (i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "%d", i);
		make(name, name, 225 * MIB + i);
		map(3 + i, name, 0, 0);
	}
	make("small", "ghi", 150 * MIB);
	map(3 + i, "small", 0, 0);
	assert_int_equal(copy(), 5);
	assert_null(strstr(told, "/own:"));
	assert_non_null(strstr(told, "/large: not kept: of files of other processes, 256 MiB each and 1024 MiB together are"));
	assert_non_null(strstr(told, "/3: not kept: of files"));
	assert_non_null(strstr(told, "/4: not kept: of files"));
	assert_null(strstr(told, "/2:"));
	assert_null(strstr(told, "/small:"));
}

/* As the daemon does of a file that was deleted */
static void save(const char *name, const char *build_id, int64_t device, int64_t inode)
{
	struct json_object *entry = json_object_new_object();
	int directory;

	mkdir(f->path, 0700);
	directory = open(f->path, O_RDONLY | O_DIRECTORY);
	mkdirat(directory, "images", 0700);
	json_object_object_add(entry, "kind", json_object_new_string("file"));
	json_object_object_add(entry, "name", json_object_new_string(path_of(name)));
	json_object_object_add(entry, "build_id",
			       build_id ? json_object_new_string(build_id) : NULL);
	add(entry, "device", device);
	add(entry, "inode", inode);
	assert_int_equal(rvtrace_recording_append_line(directory, "images/index.jsonl", entry,
						       &f->error), 0);
	json_object_put(entry);
	close(directory);
}

static void what_the_daemon_saved_is_not_copied(void **state)
{
	struct stat st;

	(void)state;
	make("a", "abc", 0);
	map(2, "a", 0, 0);
	assert_int_equal(stat(path_of("a"), &st), 0);
	save("a", NULL, st.st_dev, st.st_ino);
	assert_int_equal(copy(), 0);
	assert_string_equal(told, "");
}

static void a_file_of_the_same_name_is_copied(void **state)
{
	(void)state;
	make("libc", "true", 0);
	map(3, "libc", 0, 0);
	save("libc", "ffff", 1, 1);
	save("libc", NULL, 1, 1);
	assert_int_equal(copy(), 1);
}

static void what_others_map_fills_no_disk(void **state)
{
	(void)state;
	free_bytes = 64 * MIB + 100;
	make("own", "abc", 0);
	make("other", "def", 0);
	map(1, "own", 0, 0);
	map(2, "other", 0, 0);
	assert_int_equal(copy(), 1);
	assert_non_null(strstr(told, "/other: not kept: the disk is almost full"));
}

static void shrink(void)
{
	assert_int_equal(truncate(path_of("a"), 3), 0);
}

static void a_file_may_shrink_meanwhile(void **state)
{
	(void)state;
	make("a", "abc", 1 * MIB);
	make("empty", "x", 0);
	map(2, "a", 0, 0);
	map(3, "empty", 0, 0);
	look = shrink;
	assert_int_equal(copy(), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_that_was_mapped_is_copied, begin, end),
		cmocka_unit_test_setup_teardown(another_file_under_its_name_is_not, begin, end),
		cmocka_unit_test_setup_teardown(one_name_of_two_files_keeps_nobody_from_copying, begin,
						end),
		cmocka_unit_test_setup_teardown(a_build_id_that_was_copied_replaces_nothing, begin,
						end),
		cmocka_unit_test_setup_teardown(holes_stay_holes, begin, end),
		cmocka_unit_test_setup_teardown(others_have_limits_the_command_has_not, begin, end),
		cmocka_unit_test_setup_teardown(what_the_daemon_saved_is_not_copied, begin, end),
		cmocka_unit_test_setup_teardown(a_file_of_the_same_name_is_copied, begin, end),
		cmocka_unit_test_setup_teardown(what_others_map_fills_no_disk, begin, end),
		cmocka_unit_test_setup_teardown(a_file_may_shrink_meanwhile, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
