/** Users of the bridge, whose accounts hold nothing on L2 but what they deposited. */
import { type BridgeContracts, createChainReader } from '@keelson/apps/bridge'
import { type Address, type Crypto, keccak256, toAddress, utf8ToBytes } from '@keelson/primitives'
import { BridgeUser, type Transfer } from './bridge-user.ts'
import { type Host, PORTS, urlOf } from './host.ts'
import type { RollupNetwork } from './rollup-network.ts'
import { openSequencerRpc } from './sequencer-clients.ts'
import { Wallet } from './wallet.ts'

export interface BridgeUsersSetup {
  readonly l1Machine: string
  readonly sequencers: readonly string[]
}

const KEYS = ['first', 'second', 'third'].map((which) => keccak256(utf8ToBytes(`the ${which} user of the bridge`)))
const REQUEST_TIMEOUT_MS = 5_000

export function bridgeUserAddresses(crypto: Crypto): readonly Address[] {
  return KEYS.map((key) => toAddress(crypto.addressOf(key)))
}

export function bridgeContractsOf({ addresses }: RollupNetwork): BridgeContracts & { readonly outputOracle: Address } {
  return {
    portal: addresses.OptimismPortal,
    standardBridge: addresses.L1StandardBridge,
    messenger: addresses.L1CrossDomainMessenger,
    outputOracle: addresses.L2OutputOracle,
  }
}

export class BridgeUsers {
  /** What the nodes accepted, in the order of time. */
  readonly transfers: Transfer[] = []
  readonly #host: Host
  readonly #users: readonly BridgeUser[]
  #stopped = false

  constructor(host: Host, network: RollupNetwork, { l1Machine, sequencers }: BridgeUsersSetup) {
    this.#host = host
    const { config } = network
    const { clock, random } = host.process
    const { crypto } = host.world
    const l1 = createChainReader(host.rpc(urlOf(l1Machine, PORTS.l1), REQUEST_TIMEOUT_MS))
    const l2 = createChainReader(openSequencerRpc(host, sequencers, REQUEST_TIMEOUT_MS))
    const contracts = bridgeContractsOf(network)
    this.#users = KEYS.map((key) => {
      const l1Wallet = new Wallet({ chain: 'L1', chainId: config.l1ChainId, rpc: l1.rpc, key, crypto })
      const l2Wallet = new Wallet({ chain: 'L2', chainId: config.l2ChainId, rpc: l2.rpc, key, crypto })
      return new BridgeUser({
        l1,
        l2,
        l1Wallet,
        l2Wallet,
        contracts,
        clock,
        random,
        onTransfer: (transfer) => this.transfers.push(transfer),
      })
    })
  }

  /** Journeys from L1 to L2 and back. */
  get completed(): number {
    return this.#users.reduce((sum, { completed }) => sum + completed, 0)
  }

  start(): void {
    for (const user of this.#users) this.#host.process.after(0, 'bridge user', () => void user.run(() => this.#stopped))
  }

  stop(): void {
    this.#stopped = true
  }
}
