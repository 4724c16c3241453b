import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeDepositTransaction } from '@keelson/contracts'
import { bytesToHex, toAddress } from '@keelson/primitives'
import { type Hex, pad, parseEther, parseUnits, toHex } from 'viem'
import { getL2TransactionHashes } from 'viem/op-stack'
import { assertSupply } from '../chaos/final-checks.ts'
import { bridgeJson, runBridge } from '../support/bridge/bridge-command.ts'
import { createTokenPair, ERC20, erc20RoundTrip } from '../support/bridge/erc20-round-trip.ts'
import { type Flow, startFlow } from '../support/bridge/flows.ts'
import { deploy, FORWARDER, RECORDER, REFUSER } from '../support/bridge/test-contracts.ts'
import { giveL1Multicall, type ViemClients, viemClients } from '../support/bridge/viem-clients.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
const DECIMALS = 6
const recipient = (n: number) => `0x${n.toString(16).padStart(40, 'b')}` as Hex
const word = (value: bigint | Hex) => pad(typeof value === 'bigint' ? toHex(value) : value, { size: 32 }).toLowerCase()

interface Step {
  readonly state: string
  readonly l2TxHash: Hex
  readonly l1TxHash: Hex
}

describe('transfers between L1 and L2', () => {
  let devnet: DevnetProcess
  const flows: Partial<Record<string, Flow<unknown>>> = {}
  const begin = <T>(name: string, run: () => Promise<T>) => {
    flows[name] = startFlow(run)
  }
  const result = async <T>(name: string) => (await flows[name]?.result()) as T
  const viem = (account: number) => viemClients(devnet.facts, account)
  const seconds = (started: number) => (performance.now() - started) / 1000

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, ['--l1.block-time-sec', '2', ...withServices('bridge')])
    await giveL1Multicall(devnet.facts)
    // The portal pays out only what was deposited through it.
    begin('tokens', tokens)
    begin('call', callWithData)
    begin('alias', callFromContract)
    begin('failing', failingCall)
    begin('commands', nativeByCommands)
    begin('forced withdrawal', forcedWithdrawal)
    begin('censored', censored)
  })
  after(async () => {
    await devnet?.remove()
  })

  async function depositCall(clients: ViemClients, to: Hex, mint: bigint, value: bigint, data: Hex) {
    const { publicL1, publicL2, walletL1, target } = clients
    const request = { mint, to, value, data, gas: 200_000n }
    // The portal's gas depends on the L1 base fee, so an estimate holds for only one block.
    const sent = await walletL1.depositTransaction({ request, gas: 600_000n, ...(target as object) } as never)
    const receipt = await publicL1.waitForTransactionReceipt({ hash: sent })
    assert.equal(receipt.status, 'success')
    const [hash] = getL2TransactionHashes(receipt)
    assert.ok(hash)
    return { l1Hash: sent, receipt: await publicL2.waitForTransactionReceipt({ hash, timeout: 240_000 }) }
  }

  async function depositInBlock({ publicL2 }: ViemClients, account: number, args: readonly string[]) {
    const { l2TxHash } = await bridgeJson<Step>(devnet, account, ['deposit', ...args, '--no-wait'])
    const receipt = await publicL2.waitForTransactionReceipt({ hash: l2TxHash, timeout: 240_000 })
    assert.equal(receipt.status, 'success')
  }

  async function recorded(clients: ViemClients, recorder: Hex) {
    const slots = [0, 1, 2].map((slot) => clients.publicL2.getStorageAt({ address: recorder, slot: toHex(slot) }))
    return Promise.all(slots)
  }

  async function tokens() {
    const clients = viem(1)
    const pair = await createTokenPair(clients, parseUnits('1000', DECIMALS), DECIMALS)
    const other = devnet.facts.accounts[2]?.address as Hex
    const given = await clients.walletL1.writeContract({
      address: pair.l1,
      abi: ERC20,
      functionName: 'transfer',
      args: [other, parseUnits('10', DECIMALS)],
    } as never)
    await clients.publicL1.waitForTransactionReceipt({ hash: given })
    const [withViem, withCommands] = await Promise.all([
      erc20RoundTrip(clients, devnet.facts, pair, DECIMALS),
      erc20ByCommands(pair.l1, pair.l2),
    ])
    return { withViem, withCommands }
  }

  async function erc20ByCommands(l1Token: Hex, l2Token: Hex) {
    const clients = viem(2)
    const to = recipient(2)
    const foreign = await runBridge(devnet, 2, ['deposit', '--amount', '1', '--token', l1Token, '--l2-token', recipient(99)])
    assert.match(foreign.stderr, /not a bridge token.*would be lost/)
    await depositInBlock(clients, 2, ['--amount', '7.5', '--token', l1Token, '--l2-token', l2Token])
    const tooMuch = await runBridge(devnet, 2, ['withdraw', '--amount', '7.500001', '--l2-token', l2Token])
    assert.equal(tooMuch.code, 1)
    assert.match(tooMuch.stderr, /has 7\.5 BRG on L2, not 7\.500001/)
    await withdrawByCommands(2, ['--amount', '2.25', '--l2-token', l2Token, '--to', to])
    const held = (owner: Hex) =>
      clients.publicL1.readContract({ address: l1Token, abi: ERC20, functionName: 'balanceOf', args: [owner] } as never)
    return { onL1: await held(to), kept: await held(clients.signer.address) }
  }

  async function withdrawByCommands(account: number, args: readonly string[]) {
    const started = performance.now()
    const withdrawn = await bridgeJson<Step>(devnet, account, ['withdraw', ...args])
    return finishWithdrawal(account, withdrawn.l2TxHash, started)
  }

  async function finishWithdrawal(account: number, hash: Hex, started: number) {
    const early = await runBridge(devnet, account, ['finalize', hash])
    const proven = await bridgeJson<Step>(devnet, account, ['prove', hash, '--wait', '--timeout', '280s'])
    const again = await bridgeJson<Step>(devnet, account, ['prove', hash])
    const finalized = await bridgeJson<Step>(devnet, account, ['finalize', hash, '--wait', '--timeout', '280s'])
    const status = await bridgeJson<{ withdrawals: Step[] }>(devnet, account, ['status', hash])
    return { hash, early, proven, again, finalized, status: status.withdrawals[0]?.state, seconds: seconds(started) }
  }

  async function nativeByCommands() {
    const clients = viem(3)
    const { publicL1, publicL2, signer } = clients
    const tooLittle = await runBridge(devnet, 3, ['deposit', '--amount', '0.0099'])
    const { l1, l2 } = devnet.facts
    const wrongL1 = await runBridge(devnet, 3, ['deposit', '--amount', '1', '--l1.rpc', l2.rpcUrl])
    const before = await publicL2.getBalance({ address: signer.address })
    const deposit = async () => {
      const { l1TxHash } = await bridgeJson<Step>(devnet, 3, ['deposit', '--amount', '3', '--to', recipient(30)])
      return bridgeJson<{ deposits: Step[] }>(devnet, 3, ['status', l1TxHash])
    }
    const [status, withdrawal] = await Promise.all([
      deposit(),
      withdrawByCommands(3, ['--amount', '0.123456789012345678', '--to', recipient(31)]),
    ])
    const arrived = await publicL2.getBalance({ address: recipient(30) })
    const receipt = await publicL2.getTransactionReceipt({ hash: withdrawal.hash })
    const fee = receipt.gasUsed * receipt.effectiveGasPrice + ((receipt as unknown as { l1Fee: bigint }).l1Fee ?? 0n)
    return {
      tooLittle,
      wrongL1,
      ids: [l2.chainId, l1.chainId],
      arrived,
      deposit: status.deposits[0]?.state,
      withdrawal,
      paid: before - (await publicL2.getBalance({ address: signer.address })) - fee,
      paidOut: await publicL1.getBalance({ address: recipient(31) }),
    }
  }

  async function callWithData() {
    const clients = viem(4)
    const recorder = await deploy(clients, 'L2', RECORDER)
    const { receipt } = await depositCall(clients, recorder, parseEther('0.5'), parseEther('0.2'), '0x1234')
    const byViem = await recorded(clients, recorder)
    await depositInBlock(clients, 4, ['--amount', '0.03', '--to', recorder, '--data', '0xabcdef'])
    const balance = await clients.publicL2.getBalance({ address: recorder })
    return { status: receipt.status, byViem, byCommand: await recorded(clients, recorder), balance, caller: clients.signer.address }
  }

  async function callFromContract() {
    const clients = viem(5)
    const [forwarder, recorder] = [await deploy(clients, 'L1', FORWARDER), await deploy(clients, 'L2', RECORDER)]
    const request = {
      to: toAddress(recorder),
      valueWei: parseEther('0.04'),
      gasLimit: 200_000n,
      isCreation: false,
      data: Uint8Array.of(0xca, 0x11),
    }
    const portal = devnet.facts.contracts.OptimismPortal as Hex
    const data = `${pad(portal, { size: 32 })}${bytesToHex(encodeDepositTransaction(request)).slice(2)}` as Hex
    const sent = await clients.walletL1.sendTransaction({ to: forwarder, data, value: parseEther('0.04'), gas: 600_000n } as never)
    const receipt = await clients.publicL1.waitForTransactionReceipt({ hash: sent })
    assert.equal(receipt.status, 'success')
    const [hash] = getL2TransactionHashes(receipt)
    assert.ok(hash)
    const onL2 = await clients.publicL2.waitForTransactionReceipt({ hash, timeout: 240_000 })
    return { status: onL2.status, seen: await recorded(clients, recorder), forwarder }
  }

  async function failingCall() {
    const clients = viem(6)
    const refuser = await deploy(clients, 'L2', REFUSER)
    const address = clients.signer.address
    const before = await clients.publicL2.getBalance({ address })
    const { l1Hash, receipt } = await depositCall(clients, refuser, parseEther('1'), parseEther('0.25'), '0x01')
    const gained = (await clients.publicL2.getBalance({ address })) - before
    const refused = await runBridge(devnet, 6, ['deposit', '--amount', '0.5', '--to', refuser, '--data', '0x01'])
    const state = await eventually('the final failure of the deposit', async () => {
      const { code, stdout } = await runBridge(devnet, 6, ['status', l1Hash, '--json'])
      const { deposits } = JSON.parse(stdout) as { deposits: { state: string; text: string }[] }
      if (deposits[0]?.state !== 'failed') return null
      assert.equal(code, 1)
      return deposits[0]
    })
    return { status: receipt.status, gained, refused, state, held: await clients.publicL2.getBalance({ address: refuser }) }
  }

  async function forcedWithdrawal() {
    const started = performance.now()
    const forced = await bridgeJson<Step>(devnet, 7, ['force', '--withdraw', '--value', '0.07', '--to', recipient(70), '--no-wait'])
    const receipt = await viem(7).publicL2.waitForTransactionReceipt({ hash: forced.l2TxHash, timeout: 240_000 })
    assert.equal(receipt.status, 'success')
    const end = await finishWithdrawal(7, forced.l2TxHash, started)
    return { end, paidOut: await viem(7).publicL1.getBalance({ address: recipient(70) }) }
  }

  async function censored() {
    const { publicL2, walletL2, signer } = viem(8)
    const admin = (on: boolean) => rpcCall(devnet.facts.l2.rollupRpcUrl, 'admin_setRecoverMode', [on])
    for (const name of ['call', 'alias']) await flows[name]?.result().catch(() => undefined)
    const to = recipient(80)
    const value = parseEther('0.08')
    await admin(true)
    try {
      const from = (await publicL2.getBlockNumber()) + 1n
      await eventually('a block of the censor', async () => (await publicL2.getBlockNumber({ cacheTime: 0 })) > from)
      const ordinary = await walletL2.sendTransaction({ to, value } as never)
      const tooMuch = await runBridge(devnet, 8, ['force', '--to', to, '--value', '1000000'])
      const forced = await bridgeJson<Step>(devnet, 8, ['force', '--to', to, '--value', '0.08', '--no-wait'])
      const before = await publicL2.getBalance({ address: signer.address })
      const receipt = await publicL2.waitForTransactionReceipt({ hash: forced.l2TxHash, timeout: 240_000 })
      const numbers = Array.from({ length: Number(receipt.blockNumber - from) }, (_, i) => from + BigInt(i + 1))
      const blocks = await Promise.all(numbers.map((blockNumber) => publicL2.getBlock({ blockNumber, includeTransactions: true })))
      const types = new Set(blocks.flatMap(({ transactions }) => transactions.map(({ typeHex }) => typeHex)))
      const paid = before - (await publicL2.getBalance({ address: signer.address, blockNumber: receipt.blockNumber }))
      const got = await publicL2.getBalance({ address: to, blockNumber: receipt.blockNumber })
      const left = await publicL2.getTransactionReceipt({ hash: ordinary }).catch(() => null)
      return { status: receipt.status, blocks: numbers.length, types: [...types], paid, got, left, tooMuch }
    } finally {
      await admin(false)
    }
  }

  it('a deposit with data calls a contract as its sender, with viem and by command', async () => {
    const { status, byViem, byCommand, balance, caller } = await result<Awaited<ReturnType<typeof callWithData>>>('call')
    assert.equal(status, 'success')
    assert.deepEqual(byViem, [word(caller), word(parseEther('0.2')), `0x1234${'00'.repeat(30)}`])
    assert.deepEqual(byCommand, [word(caller), word(parseEther('0.03')), `0xabcdef${'00'.repeat(29)}`])
    assert.equal(balance, parseEther('0.23'))
  })

  it('a deposit from a contract has its aliased address as L2 sender', async () => {
    const { status, seen, forwarder } = await result<Awaited<ReturnType<typeof callFromContract>>>('alias')
    assert.equal(status, 'success')
    const alias = (BigInt(forwarder) + BigInt('0x1111000000000000000000000000000000001111')) % 2n ** 160n
    assert.deepEqual(seen, [word(alias), word(parseEther('0.04')), `0xca11${'00'.repeat(30)}`])
  })

  it('a deposit whose call fails is included, and its sender keeps the mint', async () => {
    const { status, gained, refused, state, held } = await result<Awaited<ReturnType<typeof failingCall>>>('failing')
    assert.equal(status, 'reverted')
    assert.equal(gained, parseEther('1'))
    assert.equal(held, 0n)
    assert.match(state.text, /on L2.*the 1 deposited stay with 0x/)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /the call would fail on L2 now.*--gas-limit/)
  })

  it('a censoring sequencer cannot omit a transaction that is forced in through L1', async () => {
    const { status, blocks, types, paid, got, left, tooMuch } = await result<Awaited<ReturnType<typeof censored>>>('censored')
    assert.equal(status, 'success')
    assert.ok(blocks >= 1)
    assert.deepEqual(types, ['0x7e'], 'only deposits')
    assert.equal(got, parseEther('0.08'))
    assert.equal(paid, parseEther('0.08'), 'its gas was paid on L1')
    assert.equal(left, null, 'no block holds the transaction sent to the sequencer')
    assert.match(tooMuch.stderr, /less than --value: it would fail there; npx keelson bridge deposit/)
  })

  it('native currency moves in both directions by command, exact to the wei', async () => {
    const { tooLittle, wrongL1, ids, arrived, deposit, withdrawal, paid, paidOut } =
      await result<Awaited<ReturnType<typeof nativeByCommands>>>('commands')
    assert.equal(tooLittle.code, 1)
    assert.match(tooLittle.stderr, /a deposit is at least 0\.01 of the native currency, got 0\.0099; nothing was sent/)
    assert.match(
      wrongL1.stderr,
      new RegExp(`--l1.rpc .* is a node of chain ${ids[0]}, L1 of this network is chain ${ids[1]}; nothing was sent`),
    )
    assert.equal(arrived, parseEther('3'))
    assert.equal(deposit, 'complete')
    assert.equal(withdrawal.early.code, 1)
    assert.match(
      withdrawal.early.stdout,
      /waiting-to-prove .*the first output that covers L2 block \d+ is the one for block \d+.*about \d+ s/,
    )
    // The challenge period of 12 s may be over when the command reads the state.
    assert.match(withdrawal.proven.state, /^(waiting|ready)-to-finalize$/)
    assert.equal(withdrawal.again.l1TxHash, null, 'a second proof is not sent')
    assert.equal(withdrawal.finalized.state, 'finalized')
    assert.equal(withdrawal.status, 'finalized')
    assert.equal(paidOut, parseEther('0.123456789012345678'))
    assert.equal(paid, paidOut, 'payments of the sender in addition to the fee')
    console.log(`        a withdrawal by command took ${withdrawal.seconds.toFixed(0)} s from L2 to the payout on L1`)
  })

  it('an ERC-20 moves to L2 and back with viem and by command, exact to the smallest unit', async () => {
    const { withViem, withCommands } = await result<Awaited<ReturnType<typeof tokens>>>('tokens')
    assert.equal(withCommands.onL1, parseUnits('2.25', DECIMALS))
    assert.equal(withCommands.kept, parseUnits('2.5', DECIMALS))
    console.log(`        a withdrawal of an ERC-20 with viem took ${withViem.toFixed(0)} s`)
  })

  it('a withdrawal forced in through L1 is paid out like any other', async () => {
    const { end, paidOut } = await result<Awaited<ReturnType<typeof forcedWithdrawal>>>('forced withdrawal')
    assert.equal(end.finalized.state, 'finalized')
    assert.equal(paidOut, parseEther('0.07'))
    console.log(`        a forced withdrawal took ${end.seconds.toFixed(0)} s`)
  })

  it('a withdrawal that nobody could prove does not begin', async () => {
    const network = mkdtempSync(join(tmpdir(), 'keelson-no-oracle-'))
    const { l1, l2, networkDir } = devnet.facts
    cpSync(networkDir, network, { recursive: true })
    const addresses = JSON.parse(readFileSync(join(network, 'addresses.json'), 'utf8')) as Record<string, string>
    writeFileSync(join(network, 'addresses.json'), JSON.stringify({ ...addresses, L2OutputOracle: undefined }))
    const nonce = () => rpcCall<Hex>(l2.rpcUrl, 'eth_getTransactionCount', [devnet.facts.accounts[9]?.address, 'pending'])
    const before = await nonce()
    for (const command of [
      ['withdraw', '--amount', '0.01'],
      ['force', '--withdraw', '--value', '0.01'],
    ]) {
      const { code, stderr } = await runBridge(devnet, 9, [...command, '--network', network, '--l1.rpc', l1.rpcUrl, '--l2.rpc', l2.rpcUrl])
      assert.notEqual(code, 0)
      assert.match(stderr, /addresses\.json names no L2OutputOracle: this network proves withdrawals by dispute games/)
    }
    assert.equal(await nonce(), before)
    rmSync(network, { recursive: true })
  })

  it('both nodes account for every wei on L2 after all transfers', async () => {
    await Promise.all(Object.keys(flows).map((name) => result(name)))
    for (const { dataDir } of [devnet.facts.l2, devnet.facts.validator]) {
      const text = await assertSupply(join(dataDir, 'execution'), join(devnet.folder, 'network'))
      assert.match(text, /^OK: blocks 0 to \d+ add up to the wei$/)
    }
  })
})
