import assert from 'node:assert/strict'
import { createPublicClient, createWalletClient, defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { chainConfig, publicActionsL1, publicActionsL2, walletActionsL1, walletActionsL2 } from 'viem/op-stack'
import type { DevnetFacts } from '../devnet-process.ts'
import { rpcCall } from '../json-rpc.ts'

const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
const POLLING_MS = 250

export type ViemClients = ReturnType<typeof viemClients>

export function viemClients({ l1, l2, contracts, accounts }: DevnetFacts, account: number) {
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const l1Chain = defineChain({
    id: l1.chainId,
    name: 'L1',
    nativeCurrency,
    rpcUrls: { default: { http: [l1.rpcUrl] } },
    contracts: { multicall3: { address: MULTICALL3 } },
  })
  const at = (name: string) => ({ [l1.chainId]: { address: contracts[name] as `0x${string}` } })
  const l2Chain = defineChain({
    ...chainConfig,
    id: l2.chainId,
    name: 'L2',
    nativeCurrency,
    rpcUrls: { default: { http: [l2.rpcUrl] } },
    sourceId: l1.chainId,
    contracts: {
      ...chainConfig.contracts,
      portal: at('OptimismPortal'),
      l2OutputOracle: at('L2OutputOracle'),
      l1StandardBridge: at('L1StandardBridge'),
    },
  })
  const signer = privateKeyToAccount((accounts[account] as (typeof accounts)[number]).privateKey)
  const onL1 = { chain: l1Chain, transport: http(l1.rpcUrl), pollingInterval: POLLING_MS }
  const onL2 = { chain: l2Chain, transport: http(l2.rpcUrl), pollingInterval: POLLING_MS }
  return {
    target: { account: signer, targetChain: l2Chain } as never,
    l2Chain: l2Chain as never,
    signer,
    publicL1: createPublicClient(onL1).extend(publicActionsL1()),
    publicL2: createPublicClient(onL2).extend(publicActionsL2()),
    walletL1: createWalletClient({ ...onL1, account: signer }).extend(walletActionsL1()),
    walletL2: createWalletClient({ ...onL2, account: signer }).extend(walletActionsL2()),
  }
}

/** viem reads proposal times through Multicall3, which the development L1 lacks. */
export async function giveL1Multicall({ l1, l2 }: DevnetFacts): Promise<void> {
  const code = await rpcCall<string>(l2.rpcUrl, 'eth_getCode', [MULTICALL3, 'latest'])
  assert.ok(code.length > 2, 'L2 has no multicall')
  await rpcCall(l1.rpcUrl, 'anvil_setCode', [MULTICALL3, code])
}
