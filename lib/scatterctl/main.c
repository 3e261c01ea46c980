// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl: the table of subcommands.
 */
#include <errno.h>
#include <string.h>

#include "scatterctl.h"

#ifndef SCATTER_VERSION
#define SCATTER_VERSION	"unknown"
#endif

static const struct command *const commands[] = {
	&info_command,
	&plan_command,
	&run_command,
	&scatter_command,
	&gather_command,
	&status_command,
	&node_command,
	&peer_command,
	&tune_command,
	&stats_command,
	&group_command,
	&monitor_command,
	&apply_command,
};

static void show_commands(FILE *out)
{
	size_t i;

	fputs("usage: scatterctl COMMAND [OPTION]...\n\nCommands:\n", out);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-8s %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("  help     this text, or that of COMMAND\n"
	      "\n"
	      "Each command has --help; scatterctl --version tells the version.\n"
	      "\n"
	      "Exit status: 0 done, 1 failed, 2 wrong usage; that of 'run' is in its\n"
	      "help.\n", out);
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	return NULL;
}

/**
 * show_help() - print what --help of a command prints
 * @command: the command
 *
 * Return: the exit status.
 */
int show_help(const struct command *command)
{
	fputs(command->help, stdout);
	return STATUS_OK;
}

static int unknown_command(const char *name)
{
	fprintf(stderr, "scatterctl: no such command: %s\n"
		"Try 'scatterctl help'.\n", name);
	return STATUS_USAGE;
}

static int help(int argc, char **argv)
{
	const struct command *command;

	if (argc > 2)
		return usage_error("help takes one command");
	if (argc < 2) {
		show_commands(stdout);
		return STATUS_OK;
	}
	command = find_command(argv[1]);
	return command ? show_help(command) : unknown_command(argv[1]);
}

static int dispatch(int argc, char **argv)
{
	const struct command *command;
	static char title[64];
	const char *name;

	if (!argc) {
		show_commands(stderr);
		return STATUS_USAGE;
	}
	name = argv[0];
	if (!strcmp(name, "help") || !strcmp(name, "--help") ||
	    !strcmp(name, "-h"))
		return help(argc, argv);
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts("scatterctl " SCATTER_VERSION);
		return STATUS_OK;
	}
	command = find_command(name);
	if (!command)
		return unknown_command(name);
	snprintf(title, sizeof(title), "scatterctl %s", command->name);
	set_title(title);
	argv[0] = title;
	return command->run(argc, argv);
}

int main(int argc, char **argv)
{
	int status = dispatch(argc ? argc - 1 : 0, argv + 1);

	/* Output that does not arrive must not look like success. */
	if ((ferror(stdout) || fclose(stdout)) && status == STATUS_OK) {
		complain("standard output: %s", strerror(errno));
		status = STATUS_FAILED;
	}
	return status;
}
