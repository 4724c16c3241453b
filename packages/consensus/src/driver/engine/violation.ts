import { type RollupConfig, rollupConfigToJson } from '@keelson/chainspec'
import { bytesToHex, keccak256, type L1BlockRef } from '@keelson/primitives'
import type { L2Heads } from '../../blocks/l2-heads.ts'
import { ConsensusError, messageOf } from '../../errors.ts'
import type { DriverTrace, TraceEntry } from './driver-trace.ts'
import { type HeadMove, InvariantViolation } from './invariants.ts'

export interface ViolationBundle {
  readonly name: string
  readonly message: string
  readonly atMs: number
  readonly version: string
  /** keccak256 of the configuration's JSON. */
  readonly configHash: string
  readonly rollupConfig: unknown
  readonly move: HeadMove
  readonly before: L2Heads | null
  readonly after: L2Heads
  readonly l1: Readonly<Record<'head' | 'safe' | 'finalized' | 'derivation', L1BlockRef | null>>
  readonly trace: readonly TraceEntry[]
}

export interface ViolationWriter {
  /** Returns the path of the written file. */
  write(bundle: ViolationBundle): Promise<string>
}

export interface ViolationContext {
  readonly config: RollupConfig
  readonly version: string
  readonly atMs: number
  readonly l1: ViolationBundle['l1']
  readonly trace: Pick<DriverTrace, 'entries'>
}

/** Returns an error that names the report of an InvariantViolation; other errors unchanged. */
export async function withBundle(error: unknown, writer: ViolationWriter | null, context: ViolationContext): Promise<unknown> {
  if (!(error instanceof InvariantViolation) || writer === null) return error
  const { config, trace, ...rest } = context
  const { invariant, move, before, after, message } = error
  const rollupConfig = rollupConfigToJson(config)
  const configHash = bytesToHex(keccak256(new TextEncoder().encode(JSON.stringify(rollupConfig))))
  const where = await writer
    .write({ name: invariant, message, configHash, rollupConfig, move, before, after, trace: trace.entries(), ...rest })
    .then((path) => `report written to ${path}`)
    .catch((failure: unknown) => `the report could not be written: ${messageOf(failure)}`)
  return new ConsensusError('consensus/invariant', 'critical', `${message}; ${where}`, error.details, { cause: error })
}
