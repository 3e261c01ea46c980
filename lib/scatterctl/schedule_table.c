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

	if (schedule->placed)
		fputs("between nodes: ", stdout);
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

	if (schedule->placed) {
		print_nodes(schedule);
		print_machine(schedule);
		return;
	}
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
	const struct schedule *schedule = arg;
	char from[VERTEX_MAX], to[VERTEX_MAX];

	printf("%8u %10s %10s %14" PRIu64 " %6u  ", message->round,
	       format_vertex(from, schedule, message->from),
	       format_vertex(to, schedule, message->to), message->bytes,
	       message->hops);
	if (schedule->placed)
		printf("%-5s  ", schedule_way_name(message->way));
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
	printf("\n%8s %10s %10s %14s %6s  %s%s\n", "round", "from", "to", "bytes",
	       "hops", schedule->placed ? "way    " : "", "blocks");
	status = schedule_each(schedule, print_message, (void *)schedule);
	if (status == STATUS_OK && schedule->placed)
		return print_nodes_totals(schedule, &totals);
	if (status == STATUS_OK)
		print_totals(schedule, &totals);
	return status;
}
