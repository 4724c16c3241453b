/**
 * Who has a say in the address that this node's discovery record names. The library counts a vote for each node id, and
 * those are free: a handful of them on one machine could move the record to an address of their choice, where nobody
 * reaches this node. So the public nodes of a subnet have one vote together.
 */
import type { Discv5 } from '@chainsafe/discv5'
import type { Multiaddr } from '@multiformats/multiaddr'
import { addressScope, subnetAt } from '../peers/address-scope.ts'

/** What the library does not declare for others. */
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

/** Null where addresses tell nobody apart: on this machine and in private networks. */
function voterAt(ip: string): string | null {
  return addressScope(ip) === 'public' ? subnetAt(ip) : null
}
