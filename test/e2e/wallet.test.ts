import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Contract, ContractFactory, JsonRpcProvider, Wallet } from 'ethers'
import { createPublicClient, createWalletClient, defineChain, http, parseEther, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { healthPorts } from '../../packages/devnet/src/ports/health-ports.ts'
import { devnetPorts } from '../../packages/devnet/src/ports/ports.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { runKeelson } from '../support/keelson-process.ts'

const token = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'fixtures', 'contracts', 'Token.json'), 'utf8'))
const { offset: PORT_OFFSET } = await claimE2ePorts()

function castBinary(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/cast/package.json'))
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  return join(dirname(require.resolve(`@foundry-rs/cast-${process.platform}-${arch}/package.json`)), 'bin', 'cast')
}

async function cast(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(castBinary(), args, { timeout: 240_000 })
  return stdout.trim()
}

describe('a wallet on the development network', () => {
  let devnet: DevnetProcess

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET)
  })
  after(() => devnet?.remove())

  const chain = () =>
    defineChain({
      id: devnet.facts.l2.chainId,
      name: 'Keelson devnet',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [devnet.facts.l2.rpcUrl], webSocket: [devnet.facts.l2.wsUrl] } },
    })
  const account = (i: number) => {
    const found = devnet.facts.accounts[i]
    assert.ok(found)
    return found
  }

  it('reads the chain id and fee history and transfers within two blocks with viem', async () => {
    const transport = http(devnet.facts.l2.rpcUrl)
    const client = createPublicClient({ chain: chain(), transport, pollingInterval: 100 })
    assert.equal(await client.getChainId(), 84532)
    const wallet = createWalletClient({ chain: chain(), transport, account: privateKeyToAccount(account(0).privateKey) })
    const before = await client.getBalance({ address: account(1).address })
    const hash = await wallet.sendTransaction({ to: account(1).address, value: parseEther('1.5') })
    const head = Number(await rpcCall<string>(devnet.facts.l2.rpcUrl, 'eth_blockNumber'))
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: 240_000 })
    assert.equal(receipt.status, 'success')
    const included = Number(receipt.blockNumber)
    assert.ok(included <= head + 2, `accepted with block ${head} as the head, included in block ${included}`)
    assert.equal(await client.getBalance({ address: account(1).address }), before + parseEther('1.5'))
    const history = await client.getFeeHistory({ blockCount: 4, rewardPercentiles: [10, 50] })
    assert.equal(history.baseFeePerGas.length, history.gasUsedRatio.length + 1)
    assert.equal(history.reward?.length, history.gasUsedRatio.length)
  })

  it('deploys a contract, calls it, reads its logs and sees its custom error with ethers', async () => {
    const provider = new JsonRpcProvider(devnet.facts.l2.rpcUrl, undefined, { pollingInterval: 100 })
    const wallet = new Wallet(account(2).privateKey, provider)
    const deployed = await new ContractFactory(token.abi, token.bytecode, wallet).deploy(1_000_000n)
    await deployed.waitForDeployment()
    const contract = new Contract(await deployed.getAddress(), token.abi, wallet)
    const sent = await contract.getFunction('transfer')(account(3).address, 250n)
    const receipt = await sent.wait()
    assert.equal(receipt.status, 1)
    assert.equal(await contract.getFunction('balanceOf')(account(3).address), 250n)
    const logs = await contract.queryFilter('Transfer', receipt.blockNumber, receipt.blockNumber)
    assert.equal(logs.length, 1)
    await assert.rejects(
      contract.getFunction('transfer').staticCall(account(3).address, 10_000_000n),
      (error: { revert?: { name: string } }) => {
        assert.equal(error.revert?.name, 'InsufficientBalance')
        return true
      },
    )
    provider.destroy()
  })

  it('reads the chain id, balances and contracts and transfers with cast', async () => {
    const rpc = ['--rpc-url', devnet.facts.l2.rpcUrl]
    assert.equal(await cast('chain-id', ...rpc), '84532')
    const receipt = JSON.parse(
      await cast('send', account(5).address, '--value', '1ether', '--private-key', account(4).privateKey, '--json', ...rpc),
    )
    assert.equal(receipt.status, '0x1')
    assert.equal(await cast('balance', account(5).address, ...rpc), String(parseEther('10001')))
    assert.match(await cast('client', ...rpc), /^Keelson\/v\d/)
  })

  it('receives heads in order without gaps and the logs of a token through eth_subscribe', async () => {
    const client = createPublicClient({
      chain: chain(),
      transport: webSocket(devnet.facts.l2.wsUrl, { reconnect: false, keepAlive: false }),
    })
    // viem's watchBlocks asks for each block and passes them on in the order of the answers.
    const numbers: bigint[] = []
    const heads = await client.transport.subscribe({ params: ['newHeads'], onData: ({ result }) => numbers.push(BigInt(result.number)) })
    const logs: unknown[] = []
    const events = await client.transport.subscribe({ params: ['logs', {}], onData: ({ result }) => logs.push(result) })
    const wallet = createWalletClient({
      chain: chain(),
      transport: http(devnet.facts.l2.rpcUrl),
      account: privateKeyToAccount(account(6).privateKey),
    })
    await wallet.deployContract({ abi: token.abi, bytecode: token.bytecode, args: [5n] })
    await eventually('three heads and one log', async () => numbers.length >= 3 && logs.length >= 1)
    await Promise.all([heads.unsubscribe(), events.unsubscribe()])
    const rpcClient = await client.transport.getRpcClient()
    rpcClient.close()
    for (let i = 1; i < numbers.length; i++) assert.equal(numbers[i], (numbers[i - 1] as bigint) + 1n)
  })

  it('sees a deposit from L1 on L2 within a minute', async () => {
    const { l1, contracts } = devnet.facts
    const target = '0x00000000000000000000000000000000000d0517'
    const portal = contracts.OptimismPortal as string
    const value = 12_345_000_000_000_000n
    await cast(
      ...['send', portal, 'depositTransaction(address,uint256,uint64,bool,bytes)', target, String(value), '100000', 'false', '0x'],
      ...['--value', String(value), '--private-key', account(7).privateKey, '--rpc-url', l1.rpcUrl],
    )
    await eventually(
      'the deposit on L2',
      async () => BigInt(await rpcCall<string>(devnet.facts.l2.rpcUrl, 'eth_getBalance', [target, 'latest'])) === value,
    )
  })

  it('reads the same output root from both nodes while all three heads advance', async () => {
    const { l2, validator } = devnet.facts
    interface Status {
      unsafe_l2: { number: number; l1origin: { hash: string; number: number } }
      safe_l2: { number: number }
      finalized_l2: { number: number }
    }
    const status = () => rpcCall<Status>(validator.rollupRpcUrl, 'rollup_syncStatus')
    const moved = await eventually('a finalized, a safe and an unsafe head above genesis on the validator', async () => {
      const now = await status()
      const [finalized, safe, unsafe] = [now.finalized_l2.number, now.safe_l2.number, now.unsafe_l2.number]
      return finalized > 0 && safe >= finalized && unsafe > safe ? now : null
    })
    assert.match(moved.unsafe_l2.l1origin.hash, /^0x[0-9a-f]{64}$/)
    const at = `0x${moved.safe_l2.number.toString(16)}`
    const outputs = await Promise.all(
      [l2.rollupRpcUrl, validator.rollupRpcUrl, l2.rpcUrl].map((url) => rpcCall<{ outputRoot: string }>(url, 'rollup_outputAtBlock', [at])),
    )
    assert.equal(outputs[0]?.outputRoot, outputs[1]?.outputRoot)
    assert.equal(outputs[0]?.outputRoot, outputs[2]?.outputRoot)
  })

  it('keelson status shows its heads and that nothing is wrong', async () => {
    const stdout = await eventually('a status of a network whose roles are all ready', async () => {
      const shown = await runKeelson(['status', '--devnet', devnet.folder])
      assert.match(shown.stdout, /^nothing is wrong\n$/m)
      assert.equal(shown.code, 0)
      return shown.stdout
    })
    assert.match(stdout, /^unsafe {5}\d+ {2}\d+ s old\nsafe {7}\d+ /)
    assert.match(stdout, /^peers {6}1$/m)
    assert.match(stdout, /^block \d+ {2}0x[0-9a-f]{8}\.\.[0-9a-f]{4} {2}txs +\d+ /m)
  })

  it('serves no metric that the reference does not list', async () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'config', 'prometheus', 'metrics.md'), 'utf8')
    const listed = new Set([...page.matchAll(/`(keelson_\w+)`/g)].map(([, name]) => name))
    for (const [role, port] of healthPorts(devnetPorts(PORT_OFFSET))) {
      const served = await eventually(`metrics of ${role}`, async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
      const names = [...served.matchAll(/^# TYPE (keelson_\w+)/gm)].map(([, name]) => name)
      assert.ok(names.length > 0, role)
      const unlisted = names.filter((name) => !listed.has(name))
      assert.deepEqual(unlisted, [], role)
    }
  })
})
