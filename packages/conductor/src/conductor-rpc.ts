/**
 * The conductor_* API of op-conductor. Operators use a separate port, so that no candidate can pause the conductor or move
 * leadership.
 */
import { parseEnvelopeJson, parseJsonObject } from '@keelson/primitives'
import { invalidParams, parseParams, RPC_ERROR_NUMBERS, RpcError, type RpcMethods } from '@keelson/runtime'
import type { Arbiter, ConductorMember } from './arbiter.ts'
import type { BlockProofCheck } from './block-proof.ts'

const VOTER = 0

function readingMethods(arbiter: Arbiter): RpcMethods {
  return {
    conductor_leaderWithID: () => (arbiter.leader === null ? null : member(arbiter.leader)),
    conductor_active: () => !arbiter.paused,
    conductor_paused: () => arbiter.paused,
    conductor_stopped: () => false,
    conductor_clusterMembership: () => ({ servers: arbiter.members.map(member), version: arbiter.term }),
  }
}

/** With `proof` null it records unsigned blocks, for candidates that cannot sign them (op-node), on a loopback port. */
export function createCandidateMethods(arbiter: Arbiter, id: string, proof: BlockProofCheck | null): RpcMethods {
  return {
    ...readingMethods(arbiter),
    conductor_leader: () => arbiter.leads(id),
    conductor_sequencerHealthy: () => arbiter.illnessOf(id) === null,
    conductor_commitUnsafePayload: async ([value]) => {
      const envelope = parseParams(() => parseEnvelopeJson(value))
      const fault = proof?.(envelope, parseJsonObject(value, 'payload envelope').signature) ?? null
      if (fault !== null) {
        arbiter.refuse(id, envelope, fault)
        throw refusal(fault)
      }
      const outcome = await arbiter.commit(id, envelope)
      if (outcome.kind === 'refused') throw refusal(outcome.reason)
      return null
    },
  }
}

export function createOperatorMethods(arbiter: Arbiter): RpcMethods {
  const transfer = async (to: string | null) => {
    const reason = await arbiter.transfer(to)
    if (reason !== null) throw refusal(reason)
    return null
  }
  const pause = (paused: boolean) => () => {
    arbiter.paused = paused
    return null
  }
  return {
    ...readingMethods(arbiter),
    conductor_pause: pause(true),
    conductor_resume: pause(false),
    conductor_sequencerHealthy: ([id]) => {
      const asked = serverId(id)
      const ids = arbiter.members.map((each) => each.id)
      if (!ids.includes(asked)) throw refusal(`there is no candidate ${asked}; there are ${ids.join(', ')}`)
      return arbiter.illnessOf(asked) === null
    },
    conductor_transferLeader: ([to]) => transfer(to === undefined ? null : serverId(to)),
    conductor_transferLeaderToServer: ([to]) => transfer(serverId(to)),
  }
}

function member({ id, address }: ConductorMember) {
  return { id, addr: address, suffrage: VOTER }
}

function refusal(reason: string): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.server, reason)
}

function serverId(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw invalidParams('expected the id of a server')
}
