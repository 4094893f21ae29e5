package linchpin

import "time"

// LinearizationInfo is what is known of a history that was checked. The zero value is about no
// operations, and takes annotations.
type LinearizationInfo struct {
	history     [][]entry // of each part
	parts       []part
	orders      [][][]int // of each part: operations of it
	events      []Event
	annotations []Annotation
	timeout     time.Duration
}

// Annotation is something that is shown beside the operations: of a client, or else of what Tag
// names. End is that of Start where it is 0. TextColor and BackgroundColor are not needed by
// linchpin's page, which has colours of its own.
type Annotation struct {
	ClientId        int
	Tag             string
	Start           int64
	End             int64
	Description     string
	Details         string
	TextColor       string
	BackgroundColor string
}

// AddAnnotations adds to what [Visualize] shows.
func (li *LinearizationInfo) AddAnnotations(annotations []Annotation) {
	for _, annotation := range annotations {
		if annotation.End == 0 {
			annotation.End = annotation.Start
		}
		li.annotations = append(li.annotations, annotation)
	}
}

// PartialLinearizations gives orders for each part: of one that is linearizable an order of all its
// operations; of another those that go furthest, and for each operation one of the longest that
// contain it, as far as they were found in reasonable time. Operations are numbered from 0 within
// their part.
func (li *LinearizationInfo) PartialLinearizations() [][][]int {
	copied := make([][][]int, len(li.orders))
	for i, orders := range li.orders {
		copied[i] = make([][]int, len(orders))
		for k, order := range orders {
			copied[i][k] = append([]int{}, order...)
		}
	}
	return copied
}

// PartialLinearizationsOperations gives the same orders, of operations. Those of events have their
// places as times.
func (li *LinearizationInfo) PartialLinearizationsOperations() [][][]Operation {
	list := make([][][]Operation, len(li.orders))
	for i, orders := range li.orders {
		list[i] = make([][]Operation, len(orders))
		for k, order := range orders {
			list[i][k] = make([]Operation, len(order))
			for n, operation := range order {
				list[i][k][n] = li.parts[i].operations[operation]
			}
		}
	}
	return list
}

// complete finds orders for the parts that have none.
func (li *LinearizationInfo) complete(model *Model, results []CheckResult) {
	li.history = make([][]entry, len(li.parts))
	for i := range li.parts {
		li.history[i] = li.parts[i].entries()
		if results[i] == Ok || model.builtin != nil {
			continue
		}
		if results[i] == Illegal || model.StepContext == nil {
			li.orders[i] = longestOrders(model, li.parts[i].operations)
		}
	}
}
