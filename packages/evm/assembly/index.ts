/** The core: an interpreter of the EVM that keeps its state in linear memory. What the host calls, and what compiled code calls. */
export { execute } from './calls/driver'
export { allocateCode, findCode, sealCode } from './code/records'
export { reachMemory } from './interpreter/memory'
export { accountCount, findAccount } from './state/accounts'
export { logMark } from './state/logs'
export { findSlot, slotCount } from './state/slots'
export { refundCounter } from './state/refund'
export * from './tier1-exports'
