import type { GossipCarrier } from '@keelson/consensus'
import type { SimProcess } from '../core/sim-process.ts'
import type { SimulatedNetwork } from '../network/simulated-network.ts'

const EXCHANGE_TIMEOUT_MS = 5_000

/** Gossip as datagrams, requests for blocks on a connection. `processOf` gives the consensus client of a machine, if it runs. */
export function createGossipCarrier(network: SimulatedNetwork, processOf: (machine: string) => SimProcess | null): GossipCarrier {
  return {
    carry(from, to, message, arrive) {
      const process = processOf(to)
      if (process !== null) network.datagram(from, { machine: to, process }, message, arrive)
    },
    exchange(from, to, request, answer) {
      const [asking, asked] = [processOf(from), processOf(to)]
      return new Promise((resolve, reject) => {
        if (asking === null || (asked === null && network.hasPower(to))) return reject(new Error(`${to} is not there`))
        const cancel = asking.after(EXCHANGE_TIMEOUT_MS, 'exchange timeout', () => reject(new Error(`${to} did not answer`)))
        if (asked === null) return
        network.segment(from, to, asked, request, () => {
          void answer().then(
            (found) =>
              network.segment(to, from, asking, found, () => {
                cancel()
                resolve(found)
              }),
            () => undefined,
          )
        })
      })
    },
  }
}
