/**
 * The two sides of the Conductor port: a sequencer that is alone, and one among several that asks a conductor
 * over JSON-RPC, with the methods and shapes of op-conductor.
 */
import { executionPayloadToJson, type PayloadEnvelope } from '@keelson/primitives'
import { ConsensusError, messageOf } from '../errors.ts'
import type { Conductor } from '../ports.ts'

export const SOLE_CONDUCTOR: Conductor = {
  enabled: false,
  leader: async () => true,
  commitUnsafePayload: async () => undefined,
  overrideLeader: () => undefined,
}

/** One attempt at a JSON-RPC call; rejects when it is not answered or answered with an error. */
export type ConductorCall = (method: string, params: readonly unknown[]) => Promise<unknown>

const ATTEMPTS = 2

export function createConductorClient(call: ConductorCall): Conductor {
  let overridden = false

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
      if (!overridden) await ask('conductor_commitUnsafePayload', [envelopeToJson(envelope)])
    },
    overrideLeader() {
      overridden = true
    },
  }
}

/** An envelope as conductors and admin_postUnsafePayload take it. */
export function envelopeToJson({ payload, parentBeaconBlockRoot }: PayloadEnvelope): Readonly<Record<string, unknown>> {
  return {
    executionPayload: executionPayloadToJson(payload),
    ...(parentBeaconBlockRoot === null ? {} : { parentBeaconBlockRoot }),
  }
}
