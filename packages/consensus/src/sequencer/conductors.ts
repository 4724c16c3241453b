import { blockProofRequest, bytesToHex, envelopeToJson, type Hash, type Hex, type PayloadEnvelope } from '@keelson/primitives'
import { ConsensusError, messageOf } from '../errors.ts'
import type { BlockSigner, Conductor } from '../ports.ts'

export const SOLE_CONDUCTOR: Conductor = {
  enabled: false,
  leader: async () => true,
  commitUnsafePayload: async () => undefined,
  overrideLeader: () => undefined,
}

export type ConductorCall = (method: string, params: readonly unknown[]) => Promise<unknown>

export interface BlockProver {
  readonly chainId: bigint
  readonly signer: BlockSigner
}

const ATTEMPTS = 2

/** Calls op-conductor's methods. Without `prover`, blocks are sent unsigned; op-conductor ignores signatures. */
export function createConductorClient(call: ConductorCall, prover: BlockProver | null): Conductor {
  let overridden = false
  let proven: { readonly hash: Hash; readonly signature: Hex } | null = null

  async function proofOf(envelope: PayloadEnvelope): Promise<{ readonly signature?: Hex }> {
    if (prover === null) return {}
    const { blockHash: hash } = envelope.payload
    if (proven?.hash !== hash) {
      const signature = await prover.signer.sign(blockProofRequest(prover.chainId, envelope))
      proven = { hash, signature: bytesToHex(signature) }
    }
    return { signature: proven.signature }
  }

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call(method, params)
      } catch (cause) {
        if (attempt < ATTEMPTS) continue
        throw new ConsensusError('consensus/conductor', 'temporary', `${method}: ${messageOf(cause)}`, {}, { cause })
      }
    }
  }

  return {
    enabled: true,
    async leader() {
      if (overridden) return true
      const answer = await ask('conductor_leader', [])
      if (typeof answer === 'boolean') return answer
      throw new ConsensusError('consensus/conductor', 'temporary', `conductor_leader: expected true or false, got ${typeof answer}`)
    },
    async commitUnsafePayload(envelope) {
      if (overridden) return
      await ask('conductor_commitUnsafePayload', [{ ...envelopeToJson(envelope), ...(await proofOf(envelope)) }])
    },
    overrideLeader() {
      overridden = true
    },
  }
}
