/* What computes with a model. */
#ifndef NATIVE_ENGINE_H
#define NATIVE_ENGINE_H

enum engine {
    ENGINE_AUTO,     /* compiled code where a run is long enough to pay for it */
    ENGINE_NATIVE,   /* compiled code from the first state on, where it can be had */
    ENGINE_BYTECODE, /* the interpreter */
};

#endif
