/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of 'scatterctl plan', which shows the schedules of the module.
 * The command needs no module: kernel/schedule and the simulator are linked in.
 *
 * Times are in picoseconds, which three decimals of a nanosecond are.
 */
#ifndef SCATTERCTL_SCHEDULE_H
#define SCATTERCTL_SCHEDULE_H

#include "plan/levels.h"
#include "plan/predict.h"
#include "plan/simulate.h"
#include "schedule/schedule.h"
#include "scatterctl.h"

/* More messages than this are not listed: a file of gigabytes helps nobody. */
#define MESSAGES_MAX	(1ULL << 25)

/* More than this are not simulated. */
#define SIMULATED_MAX	(1ULL << 21)

/* Members, ports, and the sum of --counts; what a message about them says. */
#define SIZE_LIMIT	(1U << 30)
#define LIMIT_TEXT	"1073741824"
#define PORTS_LIMIT	65536
#define PORTS_TEXT	"65536"
#define COUNTS_LIMIT	(1ULL << 60)

/* Members of a group on several nodes */
#define PLACED_LIMIT	(1U << 20)
#define PLACED_TEXT	"1048576"

/* Of what is too large or does not fit, in words. */
#define WHY_MAX		160

enum schedule_output {
	OUTPUT_TABLE,
	OUTPUT_JSON,
	OUTPUT_DRAW,
	OUTPUT_DOT,
	OUTPUT_COMPARE,
};

#define TOPOLOGY_OWN	(-1)

/**
 * struct schedule_options - the command line of plan
 * @output: what to print
 * @op: enum scatter_schedule_op; of a barrier that of its first half, a gather
 * @barrier: it is one
 * @algorithm: enum scatter_schedule_algorithm
 * @algorithm_set: it was given
 * @size: members
 * @root: its rank
 * @root_set: it was given
 * @root_free: the algorithm may choose the root
 * @ports: of each member in each direction; 0: as many as the algorithm uses
 * @dims: how many extents were given
 * @extent: of the mesh or torus
 * @bytes: of a block; of the whole message of a broadcast
 * @bytes_set: it was given
 * @topology: of the network, or TOPOLOGY_OWN for that which the algorithm is for
 * @store_forward: each hop takes the time of a message
 * @startup: t_s in ps
 * @hop: t_d in ps
 * @byte: t_w in ps
 * @counts_file: where @counts are from, or NULL
 * @counts: bytes of each rank's block, or NULL
 * @nodes: the text of --nodes, or NULL
 * @placement: what @nodes says
 * @net_set: any of those below was given
 * @net_startup: t_s between nodes, in ps
 * @net_hop: t_d between nodes, in ps
 * @net_byte: t_w between nodes, in ps
 */
struct schedule_options {
	enum schedule_output output;
	u32 op;
	bool barrier;
	u32 algorithm;
	bool algorithm_set;
	u32 size;
	u32 root;
	bool root_set;
	bool root_free;
	u32 ports;
	u32 dims;
	u32 extent[SCATTER_SCHEDULE_DIMS];
	u64 bytes;
	bool bytes_set;
	int topology;
	bool store_forward;
	u64 startup;
	u64 hop;
	u64 byte;
	const char *counts_file;
	u64 *counts;
	const char *nodes;
	struct plan_placement placement;
	bool net_set;
	u64 net_startup;
	u64 net_hop;
	u64 net_byte;
};

int schedule_options_parse(int argc, char **argv,
			   struct schedule_options *options);
int schedule_counts_read(struct schedule_options *options);
int schedule_placement_parse(struct schedule_options *options);
int placement_parse(const char *text, struct plan_placement *placement);

/* schedule_words.c: numbers and names in text */
#define NS_MAX	32

const char *schedule_algorithm_name(u32 algorithm);
const char *schedule_op_name(u32 op);
const char *schedule_topology_name(u32 topology);
bool parse_ns(const char *text, u64 *ps);
const char *format_ns(char buffer[NS_MAX], u64 ps);
void print_blocks(FILE *out, const struct plan_message *message);
size_t format_blocks(char *buffer, size_t length,
		     const struct plan_message *message);

/**
 * struct schedule - a plan: what runs on what
 * @options: the command line
 * @spec: what the engine is asked for; on several nodes for the schedule between them
 * @machine: what it runs on
 * @block: bytes of a block
 * @table: of irregular
 * @nodes: of @table
 * @placed: there are --nodes, so there are @levels
 * @memory: machine at each node
 * @levels: the plan of both levels, which points to @spec's table and both machines
 */
struct schedule {
	const struct schedule_options *options;
	struct scatter_schedule_spec spec;
	struct scatter_machine machine;
	u64 block;
	struct scatter_irregular table;
	struct scatter_irregular_node *nodes;
	bool placed;
	struct scatter_machine memory;
	struct plan_levels levels;
};

/**
 * struct schedule_totals - what all messages of a plan come to
 * @predicted: time by formula
 * @simulated: there are not too many messages to simulate; then @time is that time, else it
 *	is @predicted
 * @time: from the first message to the last
 * @bound: that no plan can be faster than
 * @counted: there are not too many to count, so those below are known
 * @startups: how many
 * @root_bytes: out of the root, or into it in a gather
 * @hops: of all messages
 * @sums: on several nodes
 */
struct schedule_totals {
	u64 predicted;
	bool simulated;
	u64 time;
	u64 bound;
	bool counted;
	u64 startups;
	u64 root_bytes;
	u64 hops;
	struct plan_sums sums;
};

bool schedule_make(struct schedule *schedule,
		   const struct schedule_options *options, u32 algorithm,
		   char why[WHY_MAX]);
void schedule_free(struct schedule *schedule);
u64 schedule_messages(const struct schedule *schedule);
u32 schedule_rounds(const struct schedule *schedule);
u32 schedule_vertices(const struct schedule *schedule);
u32 schedule_root(const struct schedule *schedule);
int schedule_each(const struct schedule *schedule, plan_visitor *visit,
		  void *arg);
int schedule_sum_up(const struct schedule *schedule,
		    struct schedule_totals *totals);
void print_ratio(FILE *out, int width, u64 time, u64 bound);

int schedule_table(const struct schedule *schedule);
int schedule_json(const struct schedule *schedule);
int schedule_draw(const struct schedule *schedule);
int schedule_dot(const struct schedule *schedule);
int schedule_compare(const struct schedule_options *options);

/* Of a rank, or of the portal of a node */
#define VERTEX_MAX	24

const char *format_vertex(char buffer[VERTEX_MAX],
			  const struct schedule *schedule, u32 vertex);
const char *schedule_way_name(u32 way);
const char *schedule_operation_name(const struct schedule *schedule);

/* schedule_nodes.c: groups on several nodes */
struct json;

void print_nodes(const struct schedule *schedule);
int print_nodes_totals(const struct schedule *schedule,
		       const struct schedule_totals *totals);
int put_nodes(struct json *json, const struct schedule *schedule,
	      const struct schedule_totals *totals);

/**
 * struct tree - the messages of one tree by the vertex that they join to it
 * @schedule: whose
 * @number: of the tree, of those that run at once
 * @gather: messages go to the root
 * @skipped: rounds before those of the tree
 * @rounds: of the tree
 * @branches: by vertex
 * @cube: all messages cross one dimension of a cube of eight
 */
struct tree {
	const struct schedule *schedule;
	u32 number;
	bool gather;
	u32 skipped;
	u32 rounds;
	struct branch *branches;
	bool cube;
};

#define NOBODY		UINT32_MAX
#define LABEL_MAX	26

/**
 * struct branch - a vertex in a tree
 * @parent: at the other end of its message; NOBODY for the root and who gets none
 * @round: of that message
 * @child: first of its children, or NOBODY
 * @last: child that was added last, or NOBODY
 * @next: next child of @parent, or NOBODY
 * @label: blocks of the message, in brackets
 */
struct branch {
	u32 parent;
	u32 round;
	u32 child;
	u32 last;
	u32 next;
	char label[LABEL_MAX];
};

void draw_cube(const struct tree *tree);
int draw_pairs(const struct schedule *schedule);

#endif /* SCATTERCTL_SCHEDULE_H */
