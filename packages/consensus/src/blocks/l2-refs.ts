import type { RollupConfig } from '@keelson/chainspec'
import { l2BlockRefOf, systemConfigOf } from '@keelson/derivation'
import type { Hash, L2BlockRef, PayloadEnvelope, SystemConfig } from '@keelson/primitives'
import { ConsensusError, messageOf, severityOf } from '../errors.ts'
import type { L2BlockLabel, L2BlockSource } from '../ports.ts'

export interface L2Refs {
  refOf(envelope: PayloadEnvelope): L2BlockRef
  find(at: L2BlockLabel | number | Hash): Promise<L2BlockRef | null>
  /** Throws ConsensusError `consensus/l2-block-missing` (temporary). */
  get(at: L2BlockLabel | number | Hash): Promise<L2BlockRef>
  systemConfigAt(block: L2BlockRef): Promise<SystemConfig>
}

export function createL2Refs(config: RollupConfig, source: L2BlockSource): L2Refs {
  const refOf = (envelope: PayloadEnvelope) => l2BlockRefOf(envelope.payload, config.genesis)
  const getEnvelope = async (at: L2BlockLabel | number | Hash): Promise<PayloadEnvelope> => {
    const envelope = await source.payload(at)
    if (envelope !== null) return envelope
    throw new ConsensusError('consensus/l2-block-missing', 'temporary', `the execution client has no block ${at}`, { at })
  }
  return {
    refOf,
    async find(at) {
      const envelope = await source.payload(at)
      return envelope === null ? null : refOf(envelope)
    },
    get: async (at) => refOf(await getEnvelope(at)),
    systemConfigAt: async (block) => systemConfigOf((await getEnvelope(block.hash)).payload, config),
  }
}

/** Turns failures of the source into `consensus/engine-unavailable`. */
export function withEngineErrors(source: L2BlockSource): L2BlockSource {
  const read = async <T>(what: string, request: () => Promise<T>): Promise<T> => {
    try {
      return await request()
    } catch (cause) {
      throw new ConsensusError('consensus/engine-unavailable', severityOf(cause), `${what}: ${messageOf(cause)}`, {}, { cause })
    }
  }
  return {
    payload: (at) => read(`reading block ${at}`, () => source.payload(at)),
    messagePasserStorageRoot: (block) => read(`reading the withdrawals of block ${block}`, () => source.messagePasserStorageRoot(block)),
  }
}
