import {
  describePayloadMismatch,
  type ExecutionPayload,
  type PayloadMismatch,
  parseEnvelopeJson,
  parseHash,
  payloadMismatch,
} from '@keelson/primitives'
import { invalidParams, parseParams, RPC_ERROR_NUMBERS, RpcError, type RpcMethods } from '@keelson/runtime'
import type { Driver } from '../driver/driver.ts'
import { ConsensusError } from '../errors.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

/** Returns the valid levels when `level` is not one of them. */
export type SetLogLevel = (level: string) => readonly string[] | null

export interface AdminRpcDependencies {
  readonly driver: Driver
  readonly sequencer: Sequencer | null
  readonly setLogLevel: SetLogLevel | null
}

export function createAdminMethods({ driver, sequencer, setLogLevel }: AdminRpcDependencies): RpcMethods {
  const sequencing = (): Sequencer => {
    if (sequencer === null) throw new RpcError(RPC_ERROR_NUMBERS.server, 'this node follows; it was not started as a sequencer')
    return sequencer
  }
  return {
    admin_startSequencer: async ([head]) => {
      const expected = parseParams(() => parseHash(head, 'the unsafe head to start on'))
      await asAnswer(() => sequencing().start(expected))
      return null
    },
    admin_stopSequencer: () => asAnswer(() => sequencing().stop()),
    admin_sequencerActive: () => sequencer?.active ?? false,
    admin_overrideLeader: () => {
      sequencing().overrideLeader()
      return null
    },
    admin_leaderOverridden: () => sequencer?.leaderOverridden ?? false,
    admin_conductorEnabled: () => sequencer?.conductorEnabled ?? false,
    admin_setRecoverMode: ([on]) => {
      if (typeof on !== 'boolean') throw invalidParams('recover mode: expected true or false')
      sequencing().setRecoverMode(on)
      return null
    },
    admin_setLogLevel: ([level]) => {
      if (typeof level !== 'string') throw invalidParams('log level: expected a word')
      if (setLogLevel === null) throw new RpcError(RPC_ERROR_NUMBERS.server, 'the log level of this node cannot be changed while it runs')
      const known = setLogLevel(level)
      if (known !== null) throw invalidParams(`log level: expected one of ${known.join(', ')}, got ${level.slice(0, 20)}`)
      return null
    },
    admin_resetDerivationPipeline: () => {
      driver.submit({ kind: 'reset', reason: 'requested by the operator' })
      return null
    },
    admin_postUnsafePayload: ([value]) => {
      const envelope = parseParams(() => parseEnvelopeJson(value))
      const { payload } = envelope
      const mismatch = payloadMismatch(payload, envelope.parentBeaconBlockRoot)
      if (mismatch !== null) throw invalidParams(badPayload(mismatch, payload))
      if (driver.submit({ kind: 'unsafe-payload', envelope, from: 'admin' }) === 'full') {
        throw new RpcError(RPC_ERROR_NUMBERS.server, 'the queue of inputs is full; try again')
      }
      return null
    },
  }
}

/** Error text of op-node. */
function badPayload(mismatch: PayloadMismatch, payload: ExecutionPayload): string {
  if (mismatch.kind !== 'block-hash-mismatch') return describePayloadMismatch(mismatch, payload)
  return `payload has bad block hash: ${payload.blockHash}, actual block hash is: ${mismatch.actual}`
}

async function asAnswer<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ConsensusError) throw new RpcError(RPC_ERROR_NUMBERS.server, error.message)
    throw error
  }
}
