// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation and user copy inside loading and unloading the module fails
 * once, those of the kernel's own module loader included: loading ends with an
 * errno and leaves nothing, or the module works. Needs a kernel with
 * /proc/self/fail-nth, and $SCATTER_MODULE, the module's file; others skip.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common.h"
#include "harness.h"
#include "inject.h"

#define MODULE		"scatter"
#define NODE		"/dev/scatter.loadfail"

/* The module's file. */
struct image {
	void *data;
	size_t bytes;
};

static bool image_read(struct image *image)
{
	const char *path = getenv("SCATTER_MODULE");
	struct stat file;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool good;

	if (fd < 0)
		return false;
	good = !fstat(fd, &file);
	image->bytes = good ? (size_t)file.st_size : 0;
	image->data = malloc(image->bytes + 1);
	good = good && image->data &&
	       read(fd, image->data, image->bytes) == (ssize_t)image->bytes;
	close(fd);
	return good;
}

static int module_load(const struct image *image)
{
	return syscall(SYS_init_module, image->data, image->bytes, "") ?
	       -errno : 0;
}

static int module_unload(void)
{
	return syscall(SYS_delete_module, MODULE, O_NONBLOCK) ? -errno : 0;
}

static bool module_is_loaded(void)
{
	return !access("/sys/module/" MODULE, F_OK);
}

/*
 * A group of one joins and leaves. By a node of our own: the kernel goes on
 * without one in /dev if it has no memory for that.
 */
static bool module_works(void)
{
	unsigned int major_nr, minor_nr;
	char name[SCATTER_NAME_MAX];
	FILE *numbers = fopen("/sys/class/misc/scatter/dev", "re");
	bool works = numbers &&
		     fscanf(numbers, "%u:%u", &major_nr, &minor_nr) == 2;
	int fd;

	if (numbers)
		fclose(numbers);
	if (!works || mknod(NODE, S_IFCHR | 0600, makedev(major_nr, minor_nr)))
		return false;
	fd = open(NODE, O_RDWR | O_CLOEXEC);
	unlink(NODE);
	if (fd < 0)
		return false;
	name_make(name, "loadfail");
	works = !join(fd, name, 1, 0) && !leave(fd);
	close(fd);
	return works;
}

/* Nothing is left of a module that is not loaded. */
static bool nothing_remains(void)
{
	return !module_is_loaded() && access(DEVICE, F_OK) &&
	       access("/sys/class/misc/scatter", F_OK);
}

FIXTURE(loadfail)
{
	struct image image;
};

FIXTURE_SETUP(loadfail)
{
	if (access(FAIL_NTH, W_OK) || !module_is_loaded())
		return;
	ASSERT_TRUE(inject_set_up());
	/* Each failure waits for a grace period of RCU. */
	ASSERT_EQ(0, file_write("/sys/kernel/rcu_expedited", "1"));
	/*
	 * The kernel notifies its users of modules, and they warn if they have no memory for
	 * the module's events or debug messages: that is the kernel's choice.
	 */
	ASSERT_TRUE(inject_not_below("blocking_notifier_call_chain_robust"));
	ASSERT_TRUE(image_read(&self->image));
	ASSERT_EQ(0, module_unload());
}

FIXTURE_TEARDOWN(loadfail)
{
	if (!self->image.bytes)
		return;
	if (!module_is_loaded())
		EXPECT_EQ(0, module_load(&self->image));
	free(self->image.data);
	EXPECT_EQ(0, file_write("/sys/kernel/rcu_expedited", "0"));
}

TEST_F_TIMEOUT(loadfail, load, 600)
{
	unsigned int nth, failed = 0;
	bool came = true;
	int fd, error;

	if (!self->image.bytes)
		SKIP(return, "no module or no " FAIL_NTH);
	for (nth = 0; inject_next(&nth, came);) {
		if (inject_skips(nth))
			continue;
		fd = inject_arm(nth);
		ASSERT_LE(0, fd);
		error = module_load(&self->image);
		came = inject_disarm(fd);
		if (error) {
			failed++;
			ASSERT_TRUE(came);
			ASSERT_TRUE(nothing_remains());
			continue;
		}
		ASSERT_TRUE(module_works());
		ASSERT_EQ(0, module_unload());
		ASSERT_TRUE(nothing_remains());
	}
	diag("%u of them made it fail", failed);
	EXPECT_TRUE(inject_swept(nth, came, "load"));
}

TEST_F_TIMEOUT(loadfail, unload, 600)
{
	bool came = true;
	unsigned int nth;
	int fd, error;

	if (!self->image.bytes)
		SKIP(return, "no module or no " FAIL_NTH);
	for (nth = 0; inject_next(&nth, came);) {
		if (inject_skips(nth))
			continue;
		ASSERT_EQ(0, module_load(&self->image));
		ASSERT_TRUE(module_works());
		fd = inject_arm(nth);
		ASSERT_LE(0, fd);
		error = module_unload();
		came = inject_disarm(fd);
		/* The module refuses to go, and works as before, or is gone. */
		if (error) {
			ASSERT_TRUE(came);
			ASSERT_TRUE(module_works());
			ASSERT_EQ(0, module_unload());
		}
		ASSERT_TRUE(nothing_remains());
	}
	EXPECT_TRUE(inject_swept(nth, came, "unload"));
}

TEST_HARNESS_MAIN
