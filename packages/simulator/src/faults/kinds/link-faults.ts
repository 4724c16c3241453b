import { DEFAULT_LINK, type LinkQuality } from '../../network/simulated-network.ts'
import { between, type Fault, type FaultKind, MINUTE_MS, numberOf, SECOND_MS } from '../fault-kind.ts'
import { fraction } from '../parameters.ts'

const namesOf = ({ parameters }: Fault) => parameters.from as readonly string[]

export const partition: FaultKind = {
  name: 'partition',
  meanMinutes: 30,
  parameters: { from: 'names', oneWay: 'flag' },
  victims: ({ all }) => all,
  draw(random, victim, { all }) {
    const others = all.filter((machine) => machine !== victim)
    const drawn = others.filter(() => random.next() < 0.7)
    const from = drawn.length > 0 ? drawn : others.slice(0, 1)
    const oneWay = random.next() < 0.3
    return { durationMs: between(random, 5 * SECOND_MS, 8 * MINUTE_MS), parameters: { from, oneWay } }
  },
  tell: (fault) =>
    `${fault.victim} is cut off from ${namesOf(fault).join(', ')}${fault.parameters.oneWay === true ? ', and still hears them' : ''}`,
  begin({ world: { network }, cuts }, fault) {
    const cut = (from: string, to: string) =>
      cuts.begin(`${from}>${to}`, null, ({ length }) => (length > 0 ? network.cut(from, to) : network.mend(from, to)))
    const mine = fault.victim
    const ends = namesOf(fault).flatMap((other) => [cut(mine, other), ...(fault.parameters.oneWay === true ? [] : [cut(other, mine)])])
    return () => {
      for (const end of ends) end()
    }
  },
}

export const badLinks: FaultKind = {
  name: 'bad-links',
  meanMinutes: 45,
  parameters: { lossPercent: fraction(0, 100), duplicationPercent: fraction(0, 100), jitterMs: fraction(0, 60_000) },
  victims: () => ['network'],
  draw: (random) => ({
    durationMs: between(random, MINUTE_MS, 10 * MINUTE_MS),
    parameters: { lossPercent: between(random, 0, 30), duplicationPercent: between(random, 0, 20), jitterMs: between(random, 10, 3_000) },
  }),
  tell: (fault) => `links lose ${numberOf(fault, 'lossPercent')} percent and delay up to ${numberOf(fault, 'jitterMs')} ms`,
  begin({ world: { network }, qualities }, fault) {
    const quality: LinkQuality = {
      latencyMs: DEFAULT_LINK.latencyMs,
      jitterMs: numberOf(fault, 'jitterMs'),
      loss: numberOf(fault, 'lossPercent') / 100,
      duplication: numberOf(fault, 'duplicationPercent') / 100,
    }
    return qualities.begin('network', quality, (all) => {
      network.quality = [DEFAULT_LINK, ...all].reduce(worse)
    })
  },
}

function worse(a: LinkQuality, b: LinkQuality): LinkQuality {
  return {
    latencyMs: Math.max(a.latencyMs, b.latencyMs),
    jitterMs: Math.max(a.jitterMs, b.jitterMs),
    loss: Math.max(a.loss, b.loss),
    duplication: Math.max(a.duplication, b.duplication),
  }
}
