// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/rail_events.h"

namespace polyrail::net {

void RailEvents::ready() {
  ibv_async_event event;
  const uint32_t before = heard_;
  while (device_->verbs().getAsyncEvent(device_->context(), &event) == 0) {
    on(event);
    device_->verbs().ackAsyncEvent(&event);
    heard_++;
  }
  if (heard_ != before && reactor_) reactor_->wake();  // comms look at their rails
}

void RailEvents::lose() {
  lost_.store(true, std::memory_order_release);
  for (unsigned port = 0; port <= device_->ports(); port++)
    device_->health(static_cast<uint8_t>(port)).lost.store(true, std::memory_order_release);
}

// Those that NCCL's own transport counts as fatal (src/transport/net_ib/common.cc, 2.30.7).
void RailEvents::onFatal(const ibv_async_event& event) {
  const std::string what =
      device_->name() + ": fatal event '" + device_->verbs().eventTypeStr(event.event_type) + "'";
  if (event.event_type == IBV_EVENT_DEVICE_FATAL) lose();
  if (!ends_) return log_.warn("%s; ignored, as NCCL_IB_RETURN_ASYNC_EVENTS=0 asks", what.c_str());
  const size_t ended = ends_->condemn(event, *device_, what + "; look at dmesg");
  log_.warn("%s; it ends %zu connections", what.c_str(), ended);
}

void RailEvents::on(const ibv_async_event& event) {
  const char* name = device_->name().c_str();
  const char* what = device_->verbs().eventTypeStr(event.event_type);
  switch (event.event_type) {
    case IBV_EVENT_DEVICE_FATAL:
    case IBV_EVENT_CQ_ERR:
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR: onFatal(event); break;
    case IBV_EVENT_PORT_ERR:
      device_->health(static_cast<uint8_t>(event.element.port_num)).downs.fetch_add(1, std::memory_order_release);
      device_->health(static_cast<uint8_t>(event.element.port_num)).down.store(true, std::memory_order_release);
      log_.warn("%s:%d: %s; check the cable and the switch port", name, event.element.port_num, what);
      break;
    case IBV_EVENT_PORT_ACTIVE:
      device_->health(static_cast<uint8_t>(event.element.port_num)).ups.fetch_add(1, std::memory_order_release);
      device_->health(static_cast<uint8_t>(event.element.port_num)).down.store(false, std::memory_order_release);
      [[fallthrough]];
    case IBV_EVENT_LID_CHANGE:
    case IBV_EVENT_PKEY_CHANGE:
    case IBV_EVENT_SM_CHANGE:
    case IBV_EVENT_CLIENT_REREGISTER:
    case IBV_EVENT_GID_CHANGE:
      stale_.store(true, std::memory_order_release);
      log_.info("%s:%d: %s", name, event.element.port_num, what);
      break;
    case IBV_EVENT_COMM_EST:  // a packet came before RTS: usual
    case IBV_EVENT_SQ_DRAINED: break;
    default:  // of a queue: its completions say what is wrong
      log_.info("%s: %s", name, what);
  }
}

}  // namespace polyrail::net
