import assert from 'node:assert/strict'
import { encodeCall, encodeDepositEth, encodeDepositEthTo, encodeDepositTransaction } from '@keelson/contracts'
import { bytesToHex, type Hex } from '@keelson/primitives'
import { JsonRpcProvider, parseEther, Wallet } from 'ethers'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
const ENTRY = '0x4200000000000000000000000000000000000010'
const ORDER = ['pending', 'relaying', 'complete', 'failed']
const LONGEST_SEC = 5 * 60
const L1_BLOCK_TIME_SEC = 4

interface Status {
  readonly state: string
  readonly l1: { readonly status: string; readonly blockNumber: number | null; readonly confirmations: number }
  readonly l2TxHash: string | null
  readonly deposits: readonly {
    readonly state: string
    readonly kind: string
    readonly amount: string
    readonly recipient: string
    readonly l2TxHash: string
    readonly replayable: boolean
    readonly l2: { readonly blockNumber: number; readonly safe: boolean } | null
  }[]
  readonly estimatedCompletionTime: string | null
  readonly reason: { readonly code: string; readonly text: string } | null
  readonly stuck: boolean
  readonly nextAction: { readonly code: string; readonly text: string }
}

describe('the bridge status service', () => {
  let devnet: DevnetProcess
  let l1: JsonRpcProvider
  let l2: JsonRpcProvider
  let bridgeUrl: string

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, withServices('bridge'))
    const { facts } = devnet
    bridgeUrl = (facts as unknown as { services: { bridge: string } }).services.bridge
    l1 = new JsonRpcProvider(facts.l1.rpcUrl, facts.l1.chainId, { staticNetwork: true, cacheTimeout: -1 })
    l2 = new JsonRpcProvider(facts.l2.rpcUrl, facts.l2.chainId, { staticNetwork: true, cacheTimeout: -1 })
    await eventually('the response of the bridge', async () => (await fetch(`${bridgeUrl}/health`)).status === 200)
  })
  after(async () => {
    l1?.destroy()
    l2?.destroy()
    await devnet?.remove()
  })

  const ask = async (hash: string) => {
    const response = await fetch(`${bridgeUrl}/api/status/${hash}`)
    return { code: response.status, body: (await response.json()) as Status & { error?: string; expected?: string } }
  }
  const wallet = (i: number) => new Wallet(devnet.facts.accounts[i]?.privateKey as string, l1)
  const send = async (from: Wallet, to: string, data: Uint8Array, value = 0n) =>
    (await from.sendTransaction({ to, data: bytesToHex(data), value, gasLimit: 1_000_000n })).hash as Hex
  const contract = (name: string) => devnet.facts.contracts[name] as string

  async function follow(
    name: string,
    hash: string,
    startedMs: number,
  ): Promise<{ readonly status: Status; readonly states: readonly string[] }> {
    const states: string[] = []
    const l2Hashes = new Set<string>()
    const status = await eventually(
      `${name} is settled`,
      async () => {
        const { code, body } = await ask(hash)
        if (code === 404 && states.length === 0) return null
        assert.equal(code, 200, JSON.stringify(body))
        if (states.at(-1) !== body.state) states.push(body.state)
        assert.deepEqual(
          states,
          [...states].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)),
          `${name} went back: ${states}`,
        )
        if (body.l2TxHash !== null) l2Hashes.add(body.l2TxHash)
        return body.state === 'complete' || body.state === 'failed' ? body : null
      },
      2 * LONGEST_SEC * 1000,
    )
    const elapsedMs = performance.now() - startedMs
    assert.ok(l2Hashes.size <= 1, `${name} has one L2 hash, known before its inclusion`)
    console.log(`      ${name}: ${states.join(' -> ')} after ${(elapsedMs / 1000).toFixed(1)} s`)
    const l1Blocks = (await l1.getBlockNumber()) - (status.l1.blockNumber ?? Number.NaN)
    assert.ok(l1Blocks * L1_BLOCK_TIME_SEC < LONGEST_SEC, `${name} was settled ${l1Blocks} L1 blocks after its own`)
    return { status, states }
  }

  it('follows deposits through the bridge, the entry address and the portal to completion within the stated time', async () => {
    const startedMs = performance.now()
    const [alice, bob, carol] = [wallet(0), wallet(1), wallet(2)]
    const to = `0x${'b0'.repeat(20)}` as never
    const sent = {
      bridge: await send(alice, contract('L1StandardBridge'), encodeDepositEthTo(to, 200_000n), parseEther('1.5')),
      entry: await send(bob, ENTRY, encodeDepositEth(200_000n), parseEther('0.01')),
      portal: await send(
        carol,
        contract('OptimismPortal'),
        encodeDepositTransaction({ to, valueWei: parseEther('2'), gasLimit: 100_000n, isCreation: false, data: new Uint8Array(0) }),
        parseEther('2'),
      ),
    }
    const [bridge, entry, portal] = await Promise.all(Object.entries(sent).map(([name, hash]) => follow(name, hash, startedMs)))
    for (const found of [bridge, entry, portal]) {
      assert.equal(found?.status.state, 'complete')
      assert.equal(found?.status.deposits.length, 1)
      const [deposit] = found?.status.deposits ?? []
      assert.equal(deposit?.kind, 'native')
      assert.equal(deposit?.l2?.safe, true)
      const receipt = await l2.getTransactionReceipt(deposit?.l2TxHash as string)
      assert.equal(receipt?.blockNumber, deposit?.l2?.blockNumber)
      assert.equal(receipt?.status, 1)
      assert.equal(found?.status.nextAction.code, 'none')
    }
    assert.deepEqual(
      [bridge, entry, portal].map((found) => found?.status.deposits[0]?.amount),
      [parseEther('1.5'), parseEther('0.01'), parseEther('2')].map(String),
    )
    assert.deepEqual([bridge?.status.deposits[0]?.recipient, entry?.status.deposits[0]?.recipient], [to, bob.address.toLowerCase()])
    assert.equal(await l2.getBalance(to), parseEther('3.5'))
  })

  it('reports why deposits failed: too small, reverted or out of gas on L2, a failed inner message, or none at all', async () => {
    const startedMs = performance.now()
    const portal = contract('OptimismPortal')
    const notTheBridge = encodeCall('finalizeBridgeETH(address,address,uint256,bytes)', [ENTRY, ENTRY, 0n, '0x'])
    const call = (gasLimit: bigint) =>
      encodeDepositTransaction({ to: ENTRY as never, valueWei: 0n, gasLimit, isCreation: false, data: notTheBridge })
    const message = encodeCall('sendMessage(address,bytes,uint32)', [ENTRY, notTheBridge, 200_000n])
    const small = await send(wallet(3), ENTRY, encodeDepositEth(200_000n), parseEther('0.01') - 1n)
    const reverting = await send(wallet(4), portal, call(200_000n), parseEther('1'))
    const outOfGas = await send(wallet(5), portal, call(25_000n), parseEther('1'))
    const inside = await send(wallet(6), contract('L1CrossDomainMessenger'), message, parseEther('1'))
    const other = await send(wallet(7), wallet(8).address, new Uint8Array(0), 5n)
    const names = { small, reverting, outOfGas, inside, other }
    const found = Object.fromEntries(
      await Promise.all(Object.entries(names).map(async ([name, hash]) => [name, (await follow(name, hash, startedMs)).status] as const)),
    ) as Record<keyof typeof names, Status>
    for (const status of Object.values(found)) assert.equal(status.state, 'failed')
    const reasons = Object.fromEntries(Object.entries(found).map(([name, { reason }]) => [name, reason?.code]))
    assert.deepEqual(reasons, {
      small: 'below-minimum',
      reverting: 'l2-reverted',
      outOfGas: 'l2-out-of-gas',
      inside: 'message-failed',
      other: 'no-deposit',
    })
    for (const [name, { reason, nextAction }] of Object.entries(found)) console.log(`      ${name}: ${reason?.text}; ${nextAction.text}`)
    assert.match(found.reverting.reason?.text ?? '', /other bridge/)
    assert.equal(found.small.l1.status, 'reverted')
    assert.equal(found.inside.nextAction.code, 'replay')
    assert.equal(found.inside.deposits[0]?.replayable, true)
    for (const i of [4, 5]) assert.equal(await l2.getBalance(wallet(i).address), parseEther('10001'))
  })

  it('reports the next step of a withdrawal and who must take it', async () => {
    const passer = '0x4200000000000000000000000000000000000016'
    const data = bytesToHex(encodeCall('initiateWithdrawal(address,uint256,bytes)', [ENTRY, 100_000n, '0x']))
    const sent = await wallet(8).connect(l2).sendTransaction({ to: passer, data, value: 7n })
    await sent.wait()
    const withdrawals = async (hash: string) => {
      const response = await fetch(`${bridgeUrl}/api/withdrawals/${hash}`)
      return {
        code: response.status,
        body: (await response.json()) as { status: string; withdrawals: { value: string; nextAction: { code: string } }[] },
      }
    }
    const { code, body } = await withdrawals(sent.hash)
    assert.equal(code, 200, JSON.stringify(body))
    const [one] = body.withdrawals
    assert.equal(one?.value, '7')
    const turn = { 'waiting-to-prove': 'wait', 'ready-to-prove': 'prove' }[body.status]
    assert.ok(turn !== undefined, body.status)
    assert.equal(one?.nextAction.code, turn)
    assert.equal((await withdrawals(`0x${'ab'.repeat(32)}`)).code, 404)
  })

  it('rejects an invalid hash with the expected form, and does not know an unsent hash', async () => {
    const malformed = await ask('0x1234')
    assert.deepEqual([malformed.code, malformed.body.error], [400, 'malformed-hash'])
    const unknown = await ask(`0x${'ab'.repeat(32)}`)
    assert.deepEqual([unknown.code, unknown.body.error], [404, 'unknown-transaction'])
  })

  it('keeps its answers over a restart of the service', async () => {
    const hash = await send(wallet(0), contract('L1StandardBridge'), encodeDepositEth(200_000n), parseEther('1'))
    const before = (await follow('before the kill', hash, performance.now())).status
    const pid = devnet.rolePids().bridge as number
    process.kill(pid, 'SIGKILL')
    await eventually(
      'the restart of the service',
      async () => devnet.rolePids().bridge !== pid && (await fetch(`${bridgeUrl}/health`)).status === 200,
    )
    const { body } = await ask(hash)
    assert.deepEqual(
      [body.state, body.l2TxHash, body.deposits[0]?.l2?.blockNumber],
      ['complete', before.l2TxHash, before.deposits[0]?.l2?.blockNumber],
    )
  })
})
