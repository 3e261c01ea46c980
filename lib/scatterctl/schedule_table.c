// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan: a table of messages and totals, for people.
 */
#include <inttypes.h>
#include <string.h>

#include "schedule.h"

static void print_machine(const struct schedule *schedule)
{
	const struct scatter_machine *machine = &schedule->machine;
	char dims[96] = "", text[3][NS_MAX];

	printf("%s network", schedule_topology_name(machine->topology));
	if (machine->topology == SCATTER_TOPOLOGY_MESH ||
	    machine->topology == SCATTER_TOPOLOGY_TORUS)
		printf(" of %s", format_dims(dims, sizeof(dims), machine->dims,
					     machine->extent));
	printf(", %u port%s, %s, t_s %s ns, t_d %s ns, t_w %s ns/byte\n",
	       machine->ports, machine->ports == 1 ? "" : "s",
	       machine->wormhole ? "wormhole" : "store-and-forward",
	       format_ns(text[0], machine->startup),
	       format_ns(text[1], machine->hop),
	       format_ns(text[2], machine->byte));
}

static void print_heading(const struct schedule *schedule)
{
	const struct scatter_schedule_spec *spec = &schedule->spec;

	printf("%s %s, %u member%s, root %u",
	       schedule_algorithm_name(spec->algorithm),
	       schedule_op_name(spec->op), spec->size,
	       spec->size == 1 ? "" : "s", spec->root);
	if (schedule->options->counts)
		puts(", blocks of several lengths");
	else
		printf(", %s of %" PRIu64 " bytes\n",
		       spec->op == SCATTER_SCHEDULE_BROADCAST ? "one block" :
		       "blocks", schedule->block);
	print_machine(schedule);
}

static int print_message(const struct plan_message *message, void *arg)
{
	(void)arg;
	printf("%8u %10u %10u %14" PRIu64 " %6u  ", message->round,
	       message->from, message->to, message->bytes, message->hops);
	print_blocks(stdout, message);
	if (message->pieces > 1)
		printf(" piece %u/%u", message->piece, message->pieces);
	if (message->combine)
		fputs(" or", stdout);
	putchar('\n');
	return 0;
}

static void print_totals(const struct schedule *schedule,
			 const struct schedule_totals *totals)
{
	bool gather = schedule->spec.op == SCATTER_SCHEDULE_GATHER;
	char text[NS_MAX];

	printf("\nrounds          %16u\n",
	       scatter_schedule_rounds(&schedule->spec));
	printf("startups        %16" PRIu64 "\n", totals->startups);
	printf("%s%16" PRIu64 " bytes\n", gather ? "into the root   " :
	       "out of the root ", totals->root_bytes);
	printf("hops            %16" PRIu64 "\n", totals->hops);
	printf("predicted time  %16s ns\n", format_ns(text, totals->predicted));
	if (totals->simulated)
		printf("simulated time  %16s ns\n",
		       format_ns(text, totals->time));
	printf("lower bound     %16s ns\n", format_ns(text, totals->bound));
	fputs("ratio           ", stdout);
	print_ratio(stdout, 16, totals->time, totals->bound);
	putchar('\n');
}

/**
 * schedule_table() - print all messages and totals
 * @schedule: the plan
 *
 * Return: the exit status.
 */
int schedule_table(const struct schedule *schedule)
{
	struct schedule_totals totals;
	int status = schedule_sum_up(schedule, &totals);

	if (status != STATUS_OK)
		return status;
	print_heading(schedule);
	printf("\n%8s %10s %10s %14s %6s  %s\n", "round", "from", "to", "bytes",
	       "hops", "blocks");
	status = schedule_each(schedule, print_message, NULL);
	if (status == STATUS_OK)
		print_totals(schedule, &totals);
	return status;
}
