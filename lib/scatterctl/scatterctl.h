/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scatterctl: what its files share.
 */
#ifndef SCATTERCTL_H
#define SCATTERCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/scatter.h>

#define DEVICE		"/dev/scatter"
#define NSEC_PER_SEC	1000000000LL

/* Most members that this tool handles, a multiple of 64; INFO says what the kernel does. */
#define MEMBERS_MAX	1024

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Exit statuses of the tool itself. */
enum {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

/* A parser of options returns this when the command should go on. */
#define PARSE_GO_ON	(-1)

/**
 * struct command - a subcommand
 * @name: as typed
 * @summary: one line for the list of commands
 * @help: the whole text of --help
 * @run: does it; argv[0] is the title for getopt's messages
 */
struct command {
	const char *name;
	const char *summary;
	const char *help;
	int (*run)(int argc, char **argv);
};

extern const struct command apply_command;
extern const struct command gather_command;
extern const struct command group_command;
extern const struct command info_command;
extern const struct command monitor_command;
extern const struct command node_command;
extern const struct command peer_command;
extern const struct command plan_command;
extern const struct command run_command;
extern const struct command scatter_command;
extern const struct command stats_command;
extern const struct command status_command;
extern const struct command tune_command;

/* main.c */
int show_help(const struct command *command);

/* util.c */
void set_title(const char *title);
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool parse_number(const char *text, int base, uint64_t min, uint64_t max,
		  uint64_t *number);
bool parse_bytes(const char *text, uint64_t max, uint64_t *bytes);
bool parse_seconds(const char *text, int64_t *ns);
bool parse_group(const char *text);
bool parse_item(const char **text, char end, uint64_t min, uint64_t max,
		uint64_t *number);
bool parse_sides(const char *text, unsigned int *sides);
int write_all(int fd, const void *data, size_t length);
int64_t now_ns(void);
const char *op_name(unsigned int op);
const char *algorithm_name(unsigned int algorithm);
unsigned int parse_dims(const char *text, uint32_t *extent, unsigned int most,
			uint64_t limit);
const char *format_dims(char *buffer, size_t length, unsigned int dims,
			const uint32_t *extent);
const char *state_name(unsigned int state);
bool mask_test(const uint64_t *mask, unsigned int rank);
void mask_print(FILE *out, const uint64_t *mask);

/* progress.c */
void progress_clear(void);

/* error.c */
enum stage {
	STAGE_DEVICE,
	STAGE_JOIN,
	STAGE_OPERATION,
};

const char *error_name(int error);
void complain_error(const char *what, enum stage stage, int error, int culprit);

#endif /* SCATTERCTL_H */
