import { createLocalSigner, type RpcClient } from '@keelson/client'
import { type Address, type Bytes32, bytesToHex, createPureCrypto, formatQuantity, type Hash, toAddress, toHash } from '@keelson/primitives'
import {
  createManualClock,
  createMemoryStore,
  createMetrics,
  createSeededRandom,
  createSilentLogger,
  type KeyValueStore,
  type ManualClock,
  Secret,
} from '@keelson/runtime'
import { NO_CAPTCHA } from '../../packages/apps/src/faucet/captcha.ts'
import type { ClaimAnswer } from '../../packages/apps/src/faucet/claims/claim-answer.ts'
import type { ClaimRequest } from '../../packages/apps/src/faucet/claims/claim-service.ts'
import { createFaucet, type Faucet, type FaucetDependencies, type FaucetOptions } from '../../packages/apps/src/faucet/create-faucet.ts'
import type { Entrance } from '../../packages/apps/src/faucet/http/entrance.ts'
import type { FaucetStore } from '../../packages/apps/src/faucet/storage/faucet-store.ts'
import { createFakeL1, type FakeL1 } from '../../packages/client/src/tx/fake-l1.test-support.ts'

export const CHAIN_ID = 84532n
export const AMOUNT_WEI = 10n * 10n ** 18n
export const GENESIS_HASH: Hash = toHash(`0x${'aa'.repeat(32)}`)
export const START_MS = Date.UTC(2026, 0, 1)
export const crypto = createPureCrypto()
const key: Secret<Bytes32> = new Secret(new Uint8Array(32).fill(9))
const signer = createLocalSigner(key, crypto)
export const FAUCET_ADDRESS: Address = signer.address

export function addressOf(n: number): Address {
  return toAddress(`0x${(0x10_0000 + n).toString(16).padStart(40, 'c')}`)
}

export interface FaucetWorld {
  readonly chain: FakeL1
  readonly clock: ManualClock
  readonly faucet: Faucet
  readonly codes: Map<string, string>
  /** Another faucet on the same chain. */
  openFaucet(store: FaucetStore, entrance?: Entrance): Promise<Faucet>
  restart(wrap?: Wrap): Promise<void>
  step(): Promise<void>
  settle(): Promise<void>
  claim(request: Partial<ClaimRequest> & { readonly address: string }): Promise<ClaimAnswer>
  paidWei(address: Address): bigint
}

export interface Wrap {
  rpc(inner: RpcClient): RpcClient
  store(inner: KeyValueStore): KeyValueStore
}

const AS_IT_IS: Wrap = { rpc: (inner) => inner, store: (inner) => inner }

export const DEFAULT_OPTIONS: FaucetOptions = {
  host: '127.0.0.1',
  port: 0,
  virtualHosts: [],
  trustedProxies: [],
  corsOrigins: [],
  requestsPerSec: 1000,
  requestBurst: 1000,
  chainId: CHAIN_ID,
  amountWei: AMOUNT_WEI,
  genesis: { number: 0, hash: GENESIS_HASH },
  publicUrl: 'http://faucet.example',
  claimsPerSubscriber: 10,
  claimsPerNetwork: { site: 20, network: 50, provider: 250 },
  claimsPerDay: 1000,
  addressesPerAccount: 1,
  maxInFlight: 50,
  maxWaiting: 1000,
  confirmations: 2,
  maxFeeWei: 10n ** 16n,
  lowBalanceWei: 0n,
  answerTimeoutMs: 30_000,
  pollIntervalMs: 500,
  resubmitAfterMs: 20_000,
}

export async function createFaucetWorld(
  options: Partial<FaucetOptions> = {},
  changes: Partial<Pick<FaucetDependencies, 'captcha' | 'accounts' | 'clock'>> = {},
  wrap: Wrap = AS_IT_IS,
): Promise<FaucetWorld> {
  const chain = createFakeL1(FAUCET_ADDRESS)
  const blockByNumber = chain.rpc.methods.eth_getBlockByNumber as (at: string, full?: boolean) => object | null
  const clock = createManualClock(START_MS)
  const disk = createMemoryStore()
  const codes = new Map<string, string>()
  chain.balanceWei = 10n ** 24n
  Object.assign(chain.rpc.methods, {
    eth_chainId: () => formatQuantity(CHAIN_ID),
    eth_getBlockByNumber: (at: string, full?: boolean) => {
      const block = blockByNumber(at, full)
      return block === null ? null : { ...block, hash: GENESIS_HASH }
    },
    eth_getCode: (address: string) => codes.get(address) ?? '0x',
  })

  const openOn = (store: FaucetStore, rpc: RpcClient, entrance?: Entrance) =>
    createFaucet(
      { ...DEFAULT_OPTIONS, ...options },
      {
        store,
        rpc,
        ...(entrance === undefined ? {} : { entrance }),
        signer,
        captcha: NO_CAPTCHA,
        accounts: null,
        crypto,
        clock,
        random: createSeededRandom(1),
        log: createSilentLogger(),
        metrics: createMetrics('keelson_faucet'),
        ...changes,
      },
    )

  const open = (around: Wrap) => openOn(around.store(disk), around.rpc(chain.rpc))
  let faucet = await open(wrap)
  const world: FaucetWorld = {
    chain,
    clock,
    codes,
    get faucet() {
      return faucet
    },
    openFaucet: (store, entrance) => openOn(store, chain.rpc, entrance),
    async restart(around = AS_IT_IS) {
      faucet = await open(around)
    },
    async step() {
      await faucet.step()
      await faucet.manager.step()
    },
    async settle() {
      for (let i = 0; i < 20; i++) await clock.advance(0)
    },
    claim: (request) =>
      faucet.claims.claim(
        { captcha: null, subscriber: 'somebody', remoteIp: '192.0.2.1', idempotencyKey: null, ...request },
        new AbortController().signal,
      ),
    paidWei: (address) =>
      chain.mined().reduce((sum, tx) => (tx.to !== null && bytesToHex(tx.to) === address ? sum + tx.valueWei : sum), 0n),
  }
  return world
}
