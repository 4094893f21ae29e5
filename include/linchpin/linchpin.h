/* Everything: #include <linchpin/linchpin.h>, link with `pkg-config --libs linchpin`. */
#ifndef LINCHPIN_LINCHPIN_H
#define LINCHPIN_LINCHPIN_H

#include <linchpin/base.h>
#include <linchpin/check.h>
#include <linchpin/cover.h>
#include <linchpin/graph.h>
#include <linchpin/history.h>
#include <linchpin/model.h>
#include <linchpin/monitor.h>
#include <linchpin/program.h>
#include <linchpin/report.h>
#include <linchpin/rule_sets.h>
#include <linchpin/rules.h>
#include <linchpin/spec.h>
#include <linchpin/stress.h>
#include <linchpin/value.h>
#include <linchpin/verify.h>
#include <linchpin/walk.h>

#endif
