/**
 * conductor_* as op-conductor has them, for one candidate: each candidate has an address of its own, which is how
 * the conductor knows who asks. transferLeader takes the id of the next leader too.
 */
import { invalidParams, RPC_ERROR_NUMBERS, RpcError, type RpcMethods } from '@keelson/runtime'
import { parseEnvelope } from '../rpc/parse-envelope.ts'
import type { Arbiter, ConductorMember } from './arbiter.ts'

const VOTER = 0

export function createConductorMethods(arbiter: Arbiter, id: string): RpcMethods {
  const member = ({ id: name, address }: ConductorMember) => ({ id: name, addr: address, suffrage: VOTER })
  const transfer = async (to: string | null) => {
    const reason = await arbiter.transfer(to)
    if (reason !== null) throw new RpcError(RPC_ERROR_NUMBERS.server, reason)
    return null
  }
  return {
    conductor_leader: () => arbiter.leads(id),
    conductor_leaderWithID: () => (arbiter.leader === null ? null : member(arbiter.leader)),
    conductor_active: () => !arbiter.paused,
    conductor_paused: () => arbiter.paused,
    conductor_stopped: () => false,
    conductor_pause: () => {
      arbiter.paused = true
      return null
    },
    conductor_resume: () => {
      arbiter.paused = false
      return null
    },
    conductor_sequencerHealthy: () => arbiter.illnessOf(id) === null,
    conductor_clusterMembership: () => ({ servers: arbiter.members.map(member), version: arbiter.term }),
    conductor_transferLeader: ([to]) => transfer(to === undefined ? null : serverId(to)),
    conductor_transferLeaderToServer: ([to]) => transfer(serverId(to)),
    conductor_commitUnsafePayload: async ([payload]) => {
      const outcome = await arbiter.commit(id, parseEnvelope(payload))
      if (outcome.kind === 'refused') throw new RpcError(RPC_ERROR_NUMBERS.server, outcome.reason)
      return null
    },
  }
}

function serverId(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw invalidParams('expected the id of a server')
}
