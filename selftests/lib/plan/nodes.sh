# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of scatterctl plan --nodes. Sourced by plan_test.

# Nodes --------------------------------------------------------------------

test_nodes() {
	test_placements
	test_levels
	test_follow
	tap_test "--nodes: the table of rounds" expect 0 '^ +4 +0 +0 +3 +3072$' '' \
		scatterctl plan --nodes 4x2
	tap_test "--nodes: startups of both levels" expect 0 '^startups +7 +32$' '' \
		scatterctl plan --nodes 8x4
	tap_test "--nodes: who is where" expect 0 '^node 1: ranks 1,3$' '' \
		scatterctl plan --nodes 2x2:cyclic
	tap_test "--nodes: the root's node" expect 0 \
		"^out of the root's node +3 startups, 28672 bytes, at least 28672\$" '' \
		scatterctl plan --nodes 8x4
	tap_test "--nodes --draw: a line for each member and node" lines_of 17 \
		--nodes 4x3 --draw
	tap_test "--nodes --draw: portals" expect 0 "^ +'-\\[4-7\\]-> n2-\\+-+\\+\$" '' \
		scatterctl plan --nodes 4x2 --draw
	tap_test "--nodes --draw: a barrier is two pictures" expect 0 \
		'^round 4 +5 +6$' '' scatterctl plan --nodes 2x2 --op barrier --draw
	tap_test "--nodes --draw: an outline" lines_of 1100 --nodes 100x10 --draw
	tap_test "--nodes --draw: trees at once" expect 0 '^tree 1 of 2' '' \
		scatterctl plan --nodes 4x2 --algorithm rotated --draw
	tap_test "--nodes --dot" expect 0 '^	subgraph cluster3 \{$' '' \
		scatterctl plan --nodes 4x2 --dot
	tap_test "--nodes --dot: what crosses is bold" expect 0 \
		'^	n0 -> n2 \[label="2: 4-7", style=bold\];$' '' \
		scatterctl plan --nodes 4x2 --dot
	tap_test "--nodes --compare" expect 0 '^hypercube +1 +8 +7 +49152 +60416 ' '' \
		scatterctl plan --nodes 8x4 --compare
	tap_test "--nodes --compare: those that do not fit say why" expect 0 \
		'^or-broadcast +- .*no tree' '' scatterctl plan --nodes 8x4 --compare
	tap_test "2^20 ranks on 2^10 nodes" is '.between.startups == 1023 and
		.inside.startups == 1048576' --nodes 1024x1024
	tap_test "2^20 ranks on as many nodes" is '.between.startups == 1048575 and
		.inside.startups == 1048576 and .rounds == 22' --nodes 1048576x1
}

test_placements() {
	tap_test "--nodes 2x3: node after node" is 'ranks == [[0, 1, 2], [3, 4, 5]]' \
		--nodes 2x3
	tap_test "--nodes 2x3:block is the same" is 'ranks == [[0, 1, 2], [3, 4, 5]]' \
		--nodes 2x3:block
	tap_test "--nodes 2x3:cyclic" is 'ranks == [[0, 2, 4], [1, 3, 5]]' --nodes 2x3:cyclic
	tap_test "--nodes 2x3+1x1: nodes of several sizes" is 'ranks ==
		[[0, 1, 2], [3, 4, 5], [6]]' --nodes 2x3+1x1
	tap_test "--nodes 1x1+2x3:cyclic: full nodes are left out" is 'ranks ==
		[[0], [1, 3, 5], [2, 4, 6]]' --nodes 1x1+2x3:cyclic
	tap_test "--nodes 3 --size 8: spread" is 'ranks ==
		[[0, 1, 2], [3, 4, 5], [6, 7]]' --nodes 3 --size 8
	tap_test "--nodes 3:cyclic --size 8" is 'ranks ==
		[[0, 3, 6], [1, 4, 7], [2, 5]]' --nodes 3:cyclic --size 8
	tap_test "--nodes 0,0,1,1: the node of each rank" is 'ranks == [[0, 1], [2, 3]]' \
		--nodes 0,0,1,1
	tap_test "--nodes: ids in any order, and far apart" is 'ranks ==
		[[1], [0, 3], [2]] and ids == [0, 7, 4294967296]' --nodes 7,0,4294967296,7
	tap_test "--nodes: the greatest id" expect 0 '^node 18446744073709551615: rank 1$' '' \
		scatterctl plan --nodes 1,18446744073709551615
	tap_test "--nodes 1x5: no portal" is '.startups == 4 and .between.startups == 0 and
		all(.messages[]; .from == 0 and .to != null and .way == "copy") and
		.time == 4 * (1500 + 1024 * 0.1)' --nodes 1x5
	tap_test "--nodes 1x1" is '.messages == [] and .time == 0 and .bound == 0' --nodes 1x1
	tap_test "--nodes 1x3 --op barrier" is '.startups == 4 and .time == 4 * 1500' \
		--nodes 1x3 --op barrier
}

test_levels() {
	tap_test "--nodes: portal to portal, and linear at each node" is 'legs == [
		[1, 0, "n0"], [2, 0, 1], [2, "n0", "n2"], [3, "n0", "n1"], [3, "n2", 4],
		[3, "n2", "n3"], [4, "n1", 2], [4, "n2", 5], [4, "n3", 6], [5, "n1", 3],
		[5, "n3", 7]]' --nodes 4x2
	tap_test "--nodes: N - 1 startups, (p - q) m bytes, log2 N of the root's node" is '
		.between.startups == 15 and .between.least_startups == 15 and
		.root_node.bytes == 75 * 100 and .between.least_bytes == 75 * 100 and
		.root_node.startups == 4 and .rounds_between == 4 and
		.least_rounds_between == 4 and .inside.startups == 80 and
		.inside.least_startups == 80' --nodes 16x5:cyclic --bytes 100 --root 33
	tap_test "--nodes: a tree over ranks that lie like cards crosses often" is '
		.between.startups == 7 and .by_rank.startups == 4 + 8 + 16 and
		.by_rank.bytes == (4 * 4 + 8 * 2 + 16) * 10' --nodes 8x4:cyclic --bytes 10
	tap_test "--nodes: by block it crosses as often as the nodes' own" is '
		.by_rank.startups == 7 and .by_rank.bytes == .between.bytes' --nodes 8x4
	tap_test "--nodes: n 2^(n-1) q m bytes cross" is '.between.bytes == 4 * 8 * 5 * 100' \
		--nodes 16x5 --bytes 100
	tap_test "--nodes: the closed form, eager" is '.time == 100 + 12 * 40 * 0.5 +
		2 * 1000 + 12 * 40 * 2 + 4 * (100 + 40 * 0.5)' --nodes 4x4 --bytes 40 \
		--ts 100 --tw 0.5 --net-ts 1000 --net-tw 2
	tap_test "--nodes: the closed form, pulled" is '.time == 100 + 2 * (1000 + 7) +
		12 * 20000 * 2 + 4 * 100 and .eager == 0 and .pulled == 3' --nodes 4x4 \
		--bytes 20000 --ts 100 --tw 0.5 --net-ts 1000 --net-td 7 --net-tw 2
	tap_test "--nodes: --td is that of the memory" is '.time == 100 + 20 + 1000 + 100 + 20' \
		--nodes 2x1 --bytes 1 --ts 100 --td 20 --tw 0 --net-ts 1000 --net-tw 0
	tap_test "--nodes: 64 KiB are eager" is '.eager == 1 and .pulled == 0 and
		.inside.copied == 2 * 65536' --nodes 2x1 --bytes 64K
	tap_test "--nodes: a byte more is pulled" is '.eager == 0 and .pulled == 1 and
		.inside.copied == 0 and .inside.bytes == 2 * 65537' --nodes 2x1 --bytes 65537
	tap_test "--nodes: who is behind a pull pulls" is '[.messages[] |
		select(.from == null and .to == null) | [.from_node, .to_node, .way]] == [
		[0, 4, "pull"], [0, 2, "eager"], [4, 6, "pull"], [0, 1, "eager"],
		[2, 3, "eager"], [4, 5, "pull"], [6, 7, "pull"]] and
		.messages[0].way == "mixed" and .messages[0].copied == 3 * 32768' \
		--nodes 8x4 --bytes 8K
	tap_test "--nodes: in a gather only the length counts" is '[.messages[] |
		select(.from == null and .to == null) | [.from_node, .to_node, .way]] == [
		[1, 0, "eager"], [3, 2, "eager"], [5, 4, "eager"], [7, 6, "eager"],
		[2, 0, "eager"], [6, 4, "eager"], [4, 0, "pull"]] and
		.messages[-1].way == "mixed" and .messages[-1].copied == 3 * 32768' \
		--nodes 8x4 --bytes 8K --op gather
	tap_test "--nodes: lists of ranges have no payload with them" is '.eager == 0' \
		--nodes 8x1 --bytes 1 --algorithm torus
	tap_test "--nodes: a gather is the scatter reversed" is '.time == 34951.84 and
		.messages[-1].from_node == 0 and .messages[-1].from == null and
		.messages[-1].to == 0 and .root_bytes == 31 * 1024' --nodes 8x4 --op gather
	tap_test "--nodes --op barrier: to the home and back" is '
		.between.startups == 2 * 7 and .inside.startups == 2 * 32 and
		.root_node.startups == 6 and .between.bytes == 0 and
		.time == 2 * (4 * 1500 + 3 * 5000) and .rounds_between == 6 and
		all(.messages[]; .blocks == [] and .way == "empty")' \
		--nodes 8x4 --op barrier
	# shellcheck disable=SC2016 # jq's variables
	tap_test "--nodes --op barrier: the home is the lowest node" is '
		[.messages[] | select(.from == null and .to == null)] as $m |
		($m[0] | [.from_node, .to_node]) == [9, 3] and
		($m[1] | [.from_node, .to_node]) == [3, 9]' --nodes 9,3,3,9 --op barrier
	tap_test "--nodes: --dims are those of nodes" is '.rounds_between == 4' \
		--nodes 9x2 --dims 3x3
	tap_test "--nodes: --ports are those of nodes" is '.rounds_between == 2' \
		--nodes 9x2 --algorithm knomial --ports 2
	tap_test "--nodes: hops of a mesh cost" is '[.messages[] |
		select(.from == null and .to == null) | .hops] == [2, 1, 1]' \
		--nodes 4x2 --algorithm hypercube --dims 4 --topology mesh
	printf '%s\n' 100 0 5000 7 0 0 >counts
	tap_test "--nodes --counts: no message to a node without bytes" is '
		.between.startups == 1 and .root_bytes == 5007 and .counts == 0 and
		all(.messages[]; .bytes > 0)' --nodes 3x2 --counts counts
	tap_test "--nodes --counts: lengths go first in a gather" is '.counts == 2' \
		--nodes 3x2 --counts counts --op gather
	tap_test "--nodes --counts: the hypercube needs none" is '.counts == 0 and
		.between.startups == 2 and .root_bytes == 5007' \
		--nodes 3x2 --counts counts --op gather --algorithm hypercube
}

# Follows each block: who sends it has it since an earlier round, and it stays inside of a
# node unless both ends are portals.
# shellcheck disable=SC2016 # jq's variables
readonly FOLLOWS='
	def vertex($rank; $node): if $rank == null then "n\($node)" else "\($rank)" end;
	def blocks: [.blocks[] | range(.[0]; .[1] + 1)];
	. as $plan |
	[.nodes[] | .node as $n | .ranks[] | {("\(.)"): $n}] | add as $at |
	reduce $plan.messages[] as $m (
		{good: true, at: [range($at | length) as $b |
			{key: "\($b)", value: [if $op == "gather" then "\($b)" else "\($root)" end, 0]}] |
			from_entries};
		vertex($m.from; $m.from_node) as $from | vertex($m.to; $m.to_node) as $to |
		.good = (.good and
			(($m.from_node != $m.to_node) == ($m.from == null and $m.to == null)) and
			($m.from == null or $at[$from] == $m.from_node) and
			($m.to == null or $at[$to] == $m.to_node)) |
		reduce ($m | blocks[]) as $b (.;
			.good = (.good and .at["\($b)"][0] == $from and
				.at["\($b)"][1] < $m.round) |
			.at["\($b)"] = [$to, $m.round])) |
	.good and all(.at | to_entries[];
		.value[0] == if $op == "gather" then "\($root)" else .key end)'

# follows OP ROOT OPTION...
follows() {
	local op=$1 root=$2
	shift 2
	plan --op "$op" --root "$root" "$@" --json >plan.json &&
		jq -e --arg op "$op" --argjson root "$root" "$FOLLOWS" plan.json >jq.out 2>&1 &&
		return
	sed 's/^/# /' jq.out
	return 1
}

test_follow() {
	local op algorithm
	for op in scatter gather; do
		for algorithm in linear hypercube mesh torus knomial balanced irregular; do
			tap_test "--nodes: $op, $algorithm: every block on its way" follows $op 5 \
				--nodes 3x4+1x1:cyclic --algorithm $algorithm --bytes 3000
		done
		tap_test "--nodes: $op: ranks anywhere" follows $op 2 \
			--nodes 5,1,1,5,2,9,2,1,5,5,1 --bytes 20000
	done
}

# Options, and what is said of them.
wrong_placements() {
	cat <<-'END'
		--size 4 --op barrier|barrier is for --nodes
		--size 4 --net-ts 1|are for --nodes
		--size 4 --net-tw 1|are for --nodes
		--nodes|an argument
		--nodes 0x4|--nodes '0x4': .*each at least 1
		--nodes 4x0|--nodes '4x0': .*such as 8x4
		--nodes x4|--nodes 'x4'
		--nodes 4x|--nodes '4x'
		--nodes 4x4x4|--nodes '4x4x4'
		--nodes -1x4|--nodes '-1x4'
		--nodes 4x4+|--nodes '4x4\+'
		--nodes +4x4|--nodes '\+4x4'
		--nodes 2x2+3|--nodes '2x2\+3'
		--nodes 4x4:|block or cyclic
		--nodes 4x4:random|block or cyclic
		--nodes 4x4:block:cyclic|block or cyclic
		--nodes 1048577x1|more than 1048576 ranks
		--nodes 1024x1024+1x1|more than 1048576 ranks
		--nodes 1x1048577|more than 1048576 ranks
		--nodes 4294967297x4294967297|more than 1048576 ranks
		--nodes 4294967296x4294967296|more than 1048576 ranks
		--nodes 18446744073709551616x1|--nodes '18446744073709551616x1'
		--nodes 0,,1|the node of each rank
		--nodes ,0|the node of each rank
		--nodes 0,1,|the node of each rank
		--nodes 0,-1|the node of each rank
		--nodes 0,a|the node of each rank
		--nodes 0,1:cyclic|the node of each rank
		--nodes 0,18446744073709551616|the node of each rank
		--nodes 4|how many ranks
		--nodes 0 --size 4|--nodes '0'
		--nodes 5 --size 4|more nodes than ranks
		--nodes 5 --size 1048577|more than 1048576 ranks
		--nodes nodes --size 4|--nodes 'nodes'
		--nodes 4x4 --size 15|those are 16 ranks, but --size is 15
		--nodes 0,0,1 --size 4|those are 3 ranks, but --size is 4
		--nodes 4x4 --root 16|ranks 0 to 15
		--nodes 4x4 --root free|not for --nodes
		--nodes 4x4 --op bcast|not for --nodes
		--nodes 4x4 --op barrier --root 1|no root
		--nodes 4x4 --op barrier --bytes 8|no blocks
		--nodes 3x1 --op barrier --counts good|no blocks
		--nodes 4x4 --op barrier --algorithm rotated|does not make barriers
		--nodes 4x4 --op barrier --algorithm irregular|does not make barriers
		--nodes 4x4 --algorithm or-broadcast|is no tree
		--nodes 6x4 --algorithm rotated|powers of two, not for nodes: 6
		--nodes 6x4 --topology hypercube|power of two of nodes, not 6
		--nodes 4x4 --dims 4x4|16 nodes, not 4
		--nodes 2x4 --counts good|3 lines, but 8 members
		--nodes 4x4 --net-ts -1|--net-ts: '-1'
		--nodes 4x4 --net-td 0.0001|--net-td: '0.0001'
		--nodes 4x4 --net-tw 1000000000001|at most 10\^12
		--nodes 1048576x1 --bytes 1024G|do not fit into 64 bits
		--nodes 1x1048576 --bytes 1G --tw 1000000|do not fit into 64 bits
		--nodes 1048576x1 --op barrier|too many for --nodes
		--nodes 65536x1 --algorithm balanced --op gather --ports 16 --draw --json|exclude
	END
}
