package linchpin

import "reflect"

// states numbers the states of a model from 1, equal ones alike.
//
// Without a Hash the states that an Equal must be asked about are few only if they are chosen: those
// with the same operations behind them, which is what a search compares, and those seen last. Two
// equal states may then have two numbers. That costs time, and is never wrong.
type states struct {
	model   *Model
	members []interface{}

	texts   *textTable             // by ==, of texts
	numbers map[interface{}]uint32 // by ==, of others
	hashed  map[uint64]uint32      // by Hash: the last one, and
	chain   []uint32               // the one before it with the same hash

	behind []uint64            // a sum of the operations behind each
	alike  map[uint64][]uint32 // by that
	types  map[reflect.Type]bool
}

const recentStates = 32

func newStates(model *Model) *states {
	s := &states{model: model}
	if model.Equal == nil {
		s.numbers = make(map[interface{}]uint32)
	} else if model.Hash != nil {
		s.hashed = make(map[uint64]uint32)
	} else {
		s.numbers = make(map[interface{}]uint32)
		s.alike = make(map[uint64][]uint32)
		s.types = make(map[reflect.Type]bool)
	}
	return s
}

func (s *states) push(state interface{}) uint32 {
	if len(s.members) == cap(s.members) { // append alone would copy more often
		s.members = append(make([]interface{}, 0, 2*len(s.members)+8), s.members...)
	}
	s.members = append(s.members, state)
	return uint32(len(s.members))
}

func (s *states) at(number uint32) interface{} {
	return s.members[number-1]
}

// add numbers the state that an operation of the class makes of `from` (0: it is an initial one).
func (s *states) add(state interface{}, from uint32, class uint32) uint32 {
	switch {
	case s.model.Equal == nil:
		return s.addEqual(state)
	case s.model.Hash != nil:
		return s.addHashed(state)
	default:
		return s.addCompared(state, from, class)
	}
}

func (s *states) addEqual(state interface{}) uint32 {
	if text, isText := state.(string); isText {
		if s.texts == nil {
			s.texts = newTextTable()
		}
		place := s.texts.find(s.members, text)
		if *place == 0 {
			*place = s.push(state)
		}
		return *place
	}
	number, found := s.numbers[state]
	if !found {
		number = s.push(state)
		s.numbers[state] = number
	}
	return number
}

func (s *states) addHashed(state interface{}) uint32 {
	hash := s.model.Hash(state)
	for number := s.hashed[hash]; number != 0; number = s.chain[number-1] {
		if s.model.Equal(s.at(number), state) {
			return number
		}
	}
	s.chain = append(s.chain, s.hashed[hash])
	number := s.push(state)
	s.hashed[hash] = number
	return number
}

func (s *states) addCompared(state interface{}, from uint32, class uint32) uint32 {
	if from != 0 && s.model.Equal(s.at(from), state) {
		return from
	}
	plain := isPlain(s.types, reflect.TypeOf(state))
	if plain {
		if number, found := s.numbers[state]; found {
			return number
		}
	}
	behind := mix(uint64(class) + 1)
	if from != 0 {
		behind += s.behind[from-1]
	} else {
		behind = 0
	}
	number := s.findAlike(state, behind)
	if number == 0 {
		number = s.push(state)
		s.behind = append(s.behind, behind)
		s.alike[behind] = append(s.alike[behind], number)
	}
	if plain {
		s.numbers[state] = number
	}
	return number
}

func (s *states) findAlike(state interface{}, behind uint64) uint32 {
	for _, number := range s.alike[behind] {
		if s.model.Equal(s.at(number), state) {
			return number
		}
	}
	for i := len(s.members); i > 0 && i > len(s.members)-recentStates; i-- {
		if s.behind[i-1] != behind && s.model.Equal(s.members[i-1], state) {
			return uint32(i)
		}
	}
	return 0
}
