package linchpin

import (
	"fmt"
	"sort"
)

// An Operation is one call of a client and its return, with their times. Intervals are closed: of
// two that touch neither is before the other.
type Operation struct {
	ClientId int // from 0; needed for pictures only
	Input    interface{}
	Call     int64
	Output   interface{}
	Return   int64
	Metadata interface{} // shown, and nothing else
}

// An EventKind is a call or a return.
type EventKind bool

const (
	CallEvent   EventKind = false
	ReturnEvent EventKind = true
)

// An Event is the call or the return of an operation, in a history that is in order. Those of one
// operation have the same Id; Value is its input or its output. Metadata is shown: that of the
// return, or else that of the call.
type Event struct {
	ClientId int
	Kind     EventKind
	Value    interface{}
	Id       int
	Metadata interface{}
}

// entry is a call or a return of an operation of a part.
type entry struct {
	kind     EventKind
	value    interface{}
	id       int // of the operation within its part
	time     int64
	clientId int
	metadata interface{}
}

// part is what is decided on its own.
type part struct {
	operations []Operation
	byTime     bool  // else the times are places in a list of events
	ids        []int // of events
}

// partsOfOperations cuts a history as the model says.
func partsOfOperations(model *Model, history []Operation) []part {
	cut := [][]Operation{history}
	if model.Partition != nil {
		cut = model.Partition(history)
	}
	parts := make([]part, 0, len(cut))
	for _, operations := range cut {
		if len(operations) > 0 {
			parts = append(parts, part{operations: operations, byTime: true})
		}
	}
	return parts
}

// partsOfEvents does, and makes operations of the events.
func partsOfEvents(model *Model, history []Event) []part {
	cut := [][]Event{history}
	if model.PartitionEvent != nil {
		cut = model.PartitionEvent(history)
	}
	parts := make([]part, 0, len(cut))
	for _, events := range cut {
		if len(events) > 0 {
			operations, ids := operationsOfEvents(events)
			parts = append(parts, part{operations: operations, ids: ids})
		}
	}
	return parts
}

// operationsOfEvents gives the operations in the order of their calls; times are places in the list.
// Panics where calls and returns do not belong together.
func operationsOfEvents(events []Event) ([]Operation, []int) {
	ids := make([]int, 0, len(events)/2)
	operations := make([]Operation, 0, len(events)/2)
	open := make(map[int]int) // by Id
	for i, event := range events {
		place, found := open[event.Id]
		if event.Kind == CallEvent {
			if found {
				panic(fmt.Sprintf("linchpin: events: expected a return of Id %d before it is called again, found a second call (event %d)", event.Id, i))
			}
			open[event.Id] = len(operations)
			ids = append(ids, event.Id)
			operations = append(operations, Operation{ClientId: event.ClientId, Input: event.Value,
				Call: int64(i), Metadata: event.Metadata})
			continue
		}
		if !found {
			panic(fmt.Sprintf("linchpin: events: expected a call of Id %d before its return, found none (event %d)", event.Id, i))
		}
		delete(open, event.Id)
		operation := &operations[place]
		operation.Output, operation.Return = event.Value, int64(i)
		if event.Metadata != nil {
			operation.Metadata = event.Metadata
		}
	}
	for id := range open {
		panic(fmt.Sprintf("linchpin: events: expected a return of Id %d, found none; give an operation that may not have happened a return at the end, with an output that the model takes for unknown", id))
	}
	return operations, ids
}

// entries are the calls and returns of a part in their order: at equal times calls come first.
func (p *part) entries() []entry {
	list := make([]entry, 0, 2*len(p.operations))
	for i, operation := range p.operations {
		list = append(list,
			entry{CallEvent, operation.Input, i, operation.Call, operation.ClientId, operation.Metadata},
			entry{ReturnEvent, operation.Output, i, operation.Return, operation.ClientId, operation.Metadata})
	}
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].time != list[j].time {
			return list[i].time < list[j].time
		}
		return list[i].kind == CallEvent && list[j].kind == ReturnEvent
	})
	return list
}
