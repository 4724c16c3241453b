/**
 * The library sends a challenge once and ignores the node until it has expired, although either packet may have been lost. Here the
 * same challenge goes out again. It also asks every challenged node for its record: the library states a known sequence number as a
 * far higher one, for which the node would not send a newer record.
 */
import type { Discv5 } from '@chainsafe/discv5'

type SessionService = Discv5['sessionService']
type NodeAddress = Parameters<SessionService['sendChallenge']>[0]

interface Internals {
  send(to: NodeAddress, packet: unknown): void
  readonly activeChallenges: { peek(name: string): object | undefined; set(name: string, challenge: object): unknown }
}

export function repeatChallenges({ sessionService }: Discv5): void {
  const internals = sessionService as unknown as Internals
  const { activeChallenges } = internals
  const sendChallenge = sessionService.sendChallenge.bind(sessionService)
  const send = internals.send.bind(internals)
  const peek = activeChallenges.peek.bind(activeChallenges)
  const set = activeChallenges.set.bind(activeChallenges)
  const packets = new WeakMap<object, unknown>()
  let active: object | undefined
  let sent: unknown = null

  internals.send = (to, packet) => {
    sent = packet
    send(to, packet)
  }
  activeChallenges.peek = (name) => {
    active = peek(name)
    return active
  }
  activeChallenges.set = (name, challenge) => {
    if (sent !== null && !packets.has(challenge)) packets.set(challenge, sent)
    return set(name, challenge)
  }
  sessionService.sendChallenge = (to, nonce) => {
    active = undefined
    sent = null
    sendChallenge(to, nonce, null)
    const earlier = active === undefined ? undefined : packets.get(active)
    if (sent === null && earlier !== undefined) send(to, earlier)
    sent = null
  }
}
