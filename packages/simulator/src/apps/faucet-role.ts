/** The faucet without its HTTP server, with the options of `keelson faucet serve`. */
import { createFaucetBackend, type FaucetBackend, type FaucetBackendOptions, NO_CAPTCHA } from '@keelson/apps/faucet/backend'
import { createLocalSigner } from '@keelson/client'
import { DEV_ROLES } from '@keelson/devnet/genesis'
import { type Bytes32, hexToBytes } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { type Host, server, startParts } from '../roles/host.ts'
import type { RollupNetwork } from '../roles/rollup-network.ts'
import { openSequencerRpc } from '../roles/sequencer-clients.ts'
import type { MayFail } from '../roles/supervised-role.ts'

export const FAUCET = 'faucet'
export const FAUCET_PORT = 8090
export const FAUCET_ADDRESS = DEV_ROLES.faucet.address
export const FAUCET_FUNDS_WEI = 1_000_000n * 10n ** 18n

export interface FaucetRole extends MayFail {
  readonly backend: FaucetBackend
}

const TOKEN_WEI = 10n ** 18n
const REQUEST_TIMEOUT_MS = 5_000
/** More claims than the service allows, so that long runs do not spend the budget of a day. */
const OPTIONS: Omit<FaucetBackendOptions, 'chainId' | 'genesis'> = {
  amountWei: 10n * TOKEN_WEI,
  claimsPerSubscriber: 10,
  claimsPerNetwork: { site: 100, network: 1_000, provider: 10_000 },
  claimsPerDay: 100_000,
  maxInFlight: 1_000,
  maxWaiting: 1_500,
  confirmations: 2,
  maxFeeWei: TOKEN_WEI / 100n,
  lowBalanceWei: 1_000n * TOKEN_WEI,
  answerTimeoutMs: 30_000,
  pollIntervalMs: 1_000,
  resubmitAfterMs: 20_000,
}

export async function startFaucet(
  host: Host,
  disk: SimulatedDisk,
  { config }: RollupNetwork,
  sequencers: readonly string[],
): Promise<FaucetRole> {
  const { process, log, metrics, world } = host
  const { crypto } = world
  const backend = await createFaucetBackend(
    { ...OPTIONS, chainId: config.l2ChainId, genesis: config.genesis.l2 },
    {
      store: disk.open(process),
      rpc: openSequencerRpc(host, sequencers, REQUEST_TIMEOUT_MS),
      signer: createLocalSigner(new Secret(hexToBytes(DEV_ROLES.faucet.privateKey) as Bytes32), crypto),
      captcha: NO_CAPTCHA,
      crypto,
      clock: process.clock,
      log,
      metrics,
    },
  )
  const { stop, failure } = await startParts(host, [backend, server('faucet', () => [host.offer(FAUCET_PORT, backend.claims)])])
  return { backend, stop, failure }
}
