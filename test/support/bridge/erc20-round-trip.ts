import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type Abi, encodeDeployData, type Hex, parseAbi, parseEventLogs, parseUnits } from 'viem'
import { getL2TransactionHashes, getWithdrawals } from 'viem/op-stack'
import type { DevnetFacts } from '../devnet-process.ts'
import { eventually } from '../eventually.ts'
import { deploy } from './test-contracts.ts'
import type { ViemClients } from './viem-clients.ts'

const FACTORY = '0x4200000000000000000000000000000000000012'
const L2_BRIDGE = '0x4200000000000000000000000000000000000010'
const GAS = 200_000

export const ERC20 = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
])
const FACTORY_ABI = parseAbi([
  'function createOptimismMintableERC20WithDecimals(address remoteToken, string name, string symbol, uint8 decimals) returns (address)',
  'event OptimismMintableERC20Created(address indexed localToken, address indexed remoteToken, address deployer)',
])
const BRIDGE_ABI = parseAbi([
  'function bridgeERC20To(address localToken, address remoteToken, address to, uint256 amount, uint32 minGasLimit, bytes extraData)',
])

export interface TokenPair {
  readonly l1: Hex
  readonly l2: Hex
}

export async function createTokenPair(clients: ViemClients, supply: bigint, decimals: number): Promise<TokenPair> {
  const path = new URL('../../../packages/contracts/artifacts/own/TestToken.json', import.meta.url)
  const { abi, bytecode } = JSON.parse(readFileSync(path, 'utf8')) as { abi: Abi; bytecode: Hex }
  const args = ['Bridged', 'BRG', decimals, 0n, 0n, clients.signer.address, supply]
  const l1 = await deploy(clients, 'L1', encodeDeployData({ abi, bytecode, args }))
  const hash = await clients.walletL2.writeContract({
    address: FACTORY,
    abi: FACTORY_ABI,
    functionName: 'createOptimismMintableERC20WithDecimals',
    args: [l1, 'Bridged', 'BRG', decimals],
  } as never)
  const { logs } = await clients.publicL2.waitForTransactionReceipt({ hash, timeout: 240_000 })
  const [created] = parseEventLogs({ abi: FACTORY_ABI, logs })
  assert.ok(created)
  assert.equal(created.args.remoteToken.toLowerCase(), l1.toLowerCase())
  return { l1, l2: created.args.localToken }
}

export async function erc20RoundTrip(clients: ViemClients, facts: DevnetFacts, pair: TokenPair, decimals: number): Promise<number> {
  const { publicL1, publicL2, walletL1, walletL2, signer, target, l2Chain } = clients
  const l1Bridge = facts.contracts.L1StandardBridge as Hex
  const portal = facts.contracts.OptimismPortal as Hex
  const [sent, back] = [parseUnits('100', decimals), parseUnits('40.000001', decimals)]
  const to = signer.address
  const held = (chain: typeof publicL1 | typeof publicL2, token: Hex, owner: Hex) =>
    chain.readContract({ address: token, abi: ERC20, functionName: 'balanceOf', args: [owner] } as never) as unknown as Promise<bigint>
  const before = await held(publicL1, pair.l1, to)

  const approved = await walletL1.writeContract({ address: pair.l1, abi: ERC20, functionName: 'approve', args: [l1Bridge, sent] } as never)
  await publicL1.waitForTransactionReceipt({ hash: approved })
  const deposit = { abi: BRIDGE_ABI, functionName: 'bridgeERC20To', args: [pair.l1, pair.l2, to, sent, GAS, '0x'] }
  const deposited = await publicL1.waitForTransactionReceipt({
    hash: await walletL1.writeContract({ address: l1Bridge, ...deposit, gas: 1_000_000n } as never),
  })
  assert.equal(deposited.status, 'success')
  const [hash] = getL2TransactionHashes(deposited)
  assert.ok(hash)
  assert.equal((await publicL2.waitForTransactionReceipt({ hash, timeout: 240_000 })).status, 'success')
  assert.equal(await held(publicL2, pair.l2, to), sent)
  assert.equal(await held(publicL1, pair.l1, to), before - sent)

  const withdraw = { abi: BRIDGE_ABI, functionName: 'bridgeERC20To', args: [pair.l2, pair.l1, to, back, GAS, '0x'] }
  const started = performance.now()
  const receipt = await publicL2.waitForTransactionReceipt({
    hash: await walletL2.writeContract({ address: L2_BRIDGE, ...withdraw } as never),
    timeout: 240_000,
  })
  assert.equal(receipt.status, 'success')
  assert.equal(getWithdrawals(receipt).length, 1)
  assert.equal(await held(publicL2, pair.l2, to), sent - back, 'a withdrawal burns the tokens on L2')
  // viem asks for the latest output, which exists only after a proposal.
  const oracle = { address: facts.contracts.L2OutputOracle, abi: parseAbi(['function latestOutputIndex() view returns (uint256)']) }
  await eventually(
    'the first output',
    () =>
      publicL1.readContract({ ...oracle, functionName: 'latestOutputIndex' } as never).then(
        () => true,
        () => false,
      ),
    150_000,
  )
  const { output, withdrawal } = await publicL1.waitToProve({ receipt, targetChain: l2Chain })
  const proof = await publicL2.buildProveWithdrawal({ account: signer, output, withdrawal })
  const proven = await walletL1.proveWithdrawal({ ...proof, ...(target as object) } as never)
  assert.equal((await publicL1.waitForTransactionReceipt({ hash: proven })).status, 'success')
  await publicL1.waitToFinalize({ withdrawalHash: withdrawal.withdrawalHash, targetChain: l2Chain })
  // viem uses the local clock; the portal uses the next L1 block's time.
  const status = () => publicL1.getWithdrawalStatus({ receipt, targetChain: l2Chain })
  await eventually('the end of the challenge period', async () => (await status()) === 'ready-to-finalize')
  const finalized = await walletL1.finalizeWithdrawal({ withdrawal, ...(target as object) } as never)
  assert.equal((await publicL1.waitForTransactionReceipt({ hash: finalized })).status, 'success')
  assert.equal(await status(), 'finalized')
  assert.equal(await held(publicL1, pair.l1, to), before - sent + back)
  assert.equal(await held(publicL1, pair.l1, portal), 0n, 'the bridge holds the tokens, not the portal')
  return (performance.now() - started) / 1000
}
