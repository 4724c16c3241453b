import type { FaultMark, Frame, Machine, ViolationMark } from '@keelson/web/recording'

/** The network at one time, and all that happened before. */
export interface Snapshot {
  readonly machines: readonly Machine[]
  readonly frame: Frame
  readonly faults: readonly FaultMark[]
  readonly violations: readonly ViolationMark[]
}
