/**
 * The library counts a vote on this node's address per node id, which costs nothing: one machine could move the record to an
 * unreachable address. So the public nodes of a subnet share one vote.
 */
import type { Discv5 } from '@chainsafe/discv5'
import type { Multiaddr } from '@multiformats/multiaddr'
import { addressScope, subnetAt } from '../peers/address-scope.ts'

interface Internals {
  handlePong(from: { readonly nodeId: string; readonly socketAddr: Multiaddr }, request: unknown, pong: unknown): void
  readonly addrVotes: { addVote(voter: string, address: unknown): boolean }
}

export function countVotesBySubnet(discv5: Discv5): void {
  const internals = discv5 as unknown as Internals
  const { addrVotes } = internals
  const handlePong = internals.handlePong.bind(internals)
  const addVote = addrVotes.addVote.bind(addrVotes)
  let voter = ''
  internals.handlePong = (from, request, pong) => {
    voter = voterAt(from.socketAddr.toOptions().host) ?? from.nodeId
    handlePong(from, request, pong)
  }
  addrVotes.addVote = (_nodeId, address) => addVote(voter, address)
}

/** Null for loopback and private networks, whose addresses do not identify an operator. */
function voterAt(ip: string): string | null {
  return addressScope(ip) === 'public' ? subnetAt(ip) : null
}
