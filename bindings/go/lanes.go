package linchpin

/*
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"sort"
)

// A process of the library has one operation at a time, and operations that touch count as two. So
// the operations of a client are put in lanes, the first of which has the client's number.

// process is a lane of a client.
type process struct {
	client, lane int
}

// lanesOf gives the process of each operation, as a number in the list of them.
func lanesOf(operations []Operation, strict bool) ([]uint32, []process) {
	order := make([]int, len(operations))
	for i := range order {
		order[i] = i
	}
	sorted := sort.SliceIsSorted(order, func(i, j int) bool { return operations[i].Call < operations[j].Call })
	if !sorted {
		sort.SliceStable(order, func(i, j int) bool { return operations[order[i]].Call < operations[order[j]].Call })
	}
	type open struct {
		process uint32
		until   int64
	}
	lanes := make([]uint32, len(operations))
	clients := make(map[int][]open)
	var processes []process
	for _, i := range order {
		operation := &operations[i]
		of := clients[operation.ClientId]
		lane := 0
		for lane < len(of) && of[lane].until >= operation.Call && !strict {
			lane++
		}
		if lane == len(of) {
			of = append(of, open{process: uint32(len(processes))})
			processes = append(processes, process{operation.ClientId, lane})
			clients[operation.ClientId] = of
		}
		of[lane].until = operation.Return
		lanes[i] = of[lane].process
	}
	return lanes, processes
}

func (q *question) processes(processes []process) {
	var list values
	for _, one := range processes {
		if one.lane == 0 {
			list.integer(int64(one.client))
		} else {
			_ = list.text('y', fmt.Sprintf("%d/%d", one.client, one.lane+1))
		}
	}
	q.c.processes = (*C.uint8_t)(q.bytes(append(list.data, 0)))
	q.c.process_count = C.size_t(len(processes))
}
