package linchpin

import (
	"context"
	"sort"
	"strconv"
)

// The data that Porcupine's page has in its script, for programs that read them there.

type historyElement struct {
	ClientId      int
	Start         int64 // ranks of times, a hundred apart
	OriginalStart string
	End           int64
	OriginalEnd   string
	Description   string
	Metadata      string `json:",omitempty"`
}

type linearizationStep struct {
	Index            int
	StateDescription string
}

type partialLinearization []linearizationStep

type partitionVisualizationData struct {
	History               []historyElement
	PartialLinearizations []partialLinearization
	Largest               map[int]int // of an operation: which order
}

type annotationElement struct {
	ClientId        int
	Tag             string
	Start           int64
	OriginalStart   string
	End             int64
	OriginalEnd     string
	Description     string
	Details         string
	TextColor       string
	BackgroundColor string
}

type visualizationData struct {
	Partitions  []partitionVisualizationData
	Annotations []annotationElement
}

const rankDistance = 100

func computeVisualizationData(model Model, info LinearizationInfo) visualizationData {
	ranks := info.ranks()
	data := visualizationData{Annotations: []annotationElement{}}
	for i := range info.parts {
		part := &info.parts[i]
		partition := partitionVisualizationData{Largest: make(map[int]int)}
		for _, operation := range part.operations {
			partition.History = append(partition.History, historyElement{
				ClientId: operation.ClientId,
				Start:    ranks[operation.Call], OriginalStart: strconv.FormatInt(operation.Call, 10),
				End: ranks[operation.Return], OriginalEnd: strconv.FormatInt(operation.Return, 10),
				Description: describeOperation(model.DescribeOperation, operation.Input, operation.Output),
				Metadata:    describeMetadata(model.DescribeOperationMetadata, operation.Metadata),
			})
		}
		for k, order := range info.orders[i] {
			partition.PartialLinearizations = append(partition.PartialLinearizations,
				describeOrder(&model, part, order))
			for _, operation := range order {
				best, found := partition.Largest[operation]
				if !found || len(info.orders[i][best]) < len(order) {
					partition.Largest[operation] = k
				}
			}
		}
		data.Partitions = append(data.Partitions, partition)
	}
	for _, one := range info.annotations {
		data.Annotations = append(data.Annotations, annotationElement{one.ClientId, one.Tag,
			ranks[one.Start], strconv.FormatInt(one.Start, 10), ranks[one.End], strconv.FormatInt(one.End, 10),
			one.Description, one.Details, one.TextColor, one.BackgroundColor})
	}
	return data
}

func (li *LinearizationInfo) ranks() map[int64]int64 {
	ranks := make(map[int64]int64)
	for i := range li.parts {
		for _, operation := range li.parts[i].operations {
			ranks[operation.Call], ranks[operation.Return] = 0, 0
		}
	}
	for _, annotation := range li.annotations {
		ranks[annotation.Start], ranks[annotation.End] = 0, 0
	}
	times := make([]int64, 0, len(ranks))
	for time := range ranks {
		times = append(times, time)
	}
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	for rank, time := range times {
		ranks[time] = int64(rank) * rankDistance
	}
	return ranks
}

func describeMetadata(describe func(interface{}) string, metadata interface{}) string {
	if describe != nil {
		return describe(metadata)
	}
	if text, ok := metadata.(string); ok {
		return text
	}
	return describeValue(metadata)
}

// describeOrder gives the states along an order. Orders are found again and again by models whose
// states are long, so that only a thousand steps have theirs.
func describeOrder(model *Model, part *part, order []int) partialLinearization {
	steps := make(partialLinearization, len(order))
	var state interface{}
	if model.builtin == nil {
		state = model.Init()
	}
	for i, index := range order {
		steps[i].Index = index
		if model.builtin != nil {
			continue
		}
		operation := &part.operations[index]
		_, state = model.ask(context.Background(), state, operation.Input, operation.Output)
		if len(order)-i <= mostStates {
			steps[i].StateDescription = describeState(model.DescribeState, state)
		}
	}
	return steps
}

const mostStates = 1000 // along an order, the last ones
