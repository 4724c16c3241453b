import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Wallet } from 'ethers'
import { devnetPorts } from '../../packages/devnet/src/ports/ports.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { runKeelson } from '../support/keelson-process.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
const AMOUNT_WEI = 10n * 10n ** 18n

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: {
    readonly success: boolean
    readonly txHash?: string
    readonly amount?: string
    readonly nextClaimTime: string
    readonly error?: string
    readonly code?: string
  }
}

interface Claim {
  readonly address: string
  readonly ip: string
  readonly key?: string
}

const newAddress = () => `0x${randomBytes(20).toString('hex')}`
let nextIp = 0
/** The address ranges for documentation are too small. */
const newIp = () => {
  nextIp++
  return `10.${(nextIp >> 16) & 255}.${(nextIp >> 8) & 255}.${nextIp & 255}`
}

describe('the faucet of a development network', () => {
  let devnet: DevnetProcess
  let url: string

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, withServices('faucet'))
    url = `http://127.0.0.1:${devnetPorts(PORT_OFFSET).faucet.http}`
    await eventually('the opening of the faucet', async () => (await fetch(`${url}/health`)).status === 200)
  })
  after(async () => {
    await devnet?.remove()
  })

  /** Not on a reused connection, which may close: fetch does not repeat a POST. */
  async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close', ...headers },
      body: JSON.stringify(body),
    })
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: (await response.json()) as never }
  }
  const claim = ({ address, ip, key }: Claim): Promise<Answer> =>
    post('/api/claim', { address }, { 'x-forwarded-for': ip, ...(key === undefined ? {} : { 'idempotency-key': key }) })

  const balanceWei = async (address: string) => BigInt(await rpcCall<string>(devnet.facts.l2.rpcUrl, 'eth_getBalance', [address, 'latest']))

  async function balancesOf(addresses: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const balances = new Map<string, bigint>()
    for (let at = 0; at < addresses.length; at += 50) {
      const part = addresses.slice(at, at + 50)
      const found = await Promise.all(part.map(balanceWei))
      for (const [i, address] of part.entries()) balances.set(address, found[i] as bigint)
    }
    return balances
  }
  const sum = (values: Iterable<bigint>) => [...values].reduce((total, value) => total + value, 0n)

  async function settled(): Promise<void> {
    const dataDir = join(devnet.folder, 'faucet')
    await eventually('the settlement of every payment', async () => {
      const { stdout } = await runKeelson(['faucet', 'status', '--data-dir', dataDir, '--json'])
      const { claims } = JSON.parse(stdout) as { claims: Record<string, number> }
      return claims.reserved === 0 && claims.sent === 0 && claims.unsure === 0
    })
  }

  it('pays a claim as its interface states, and is listed in devnet.json', async () => {
    assert.equal((devnet.facts as unknown as { services: { faucet: string } }).services.faucet, url)
    const readiness = await fetch(`http://127.0.0.1:${devnetPorts(PORT_OFFSET).faucet.metrics}/readyz`)
    assert.match(await readiness.text(), /\[\+\] balance: ok\n(.*\n)*ready\n/)
    const address = newAddress()
    const first = await claim({ address, ip: newIp() })
    assert.equal(first.status, 200, JSON.stringify(first.body))
    assert.equal(first.body.amount, '10000000000000000000')
    assert.match(first.body.txHash as string, /^0x[0-9a-f]{64}$/)
    const inHours = (Date.parse(first.body.nextClaimTime) - Date.now()) / 3_600_000
    assert.ok(inHours > 23.9 && inHours <= 24.1, `next claim in ${inHours} hours`)
    await eventually('the payment', async () => (await balanceWei(address)) === AMOUNT_WEI)
    const second = await claim({ address, ip: newIp() })
    assert.deepEqual([second.status, second.body.success, second.body.code], [429, false, 'address-limit'])
    assert.equal(second.body.nextClaimTime, first.body.nextClaimTime)
    assert.ok(Number(second.retryAfter) > 80_000)
  })

  it('pays exactly its limits for 1,000 concurrent claims', async () => {
    const wanted = Array.from({ length: 50 }, newAddress)
    const greedy = Array.from({ length: 25 }, newIp)
    const claims: Claim[] = [
      ...wanted.flatMap((address) => Array.from({ length: 10 }, () => ({ address, ip: newIp() }))),
      ...greedy.flatMap((ip) => Array.from({ length: 20 }, () => ({ address: newAddress(), ip }))),
    ].sort(() => Math.random() - 0.5)
    assert.equal(claims.length, 1_000)
    const started = performance.now()
    const answers = await Promise.all(claims.map(claim))
    const answeredMs = performance.now() - started
    await settled()
    console.log(
      `      1,000 claims, 300 to pay: answered in ${answeredMs.toFixed(0)} ms, settled in ${(performance.now() - started).toFixed(0)} ms`,
    )
    for (const { status, body, retryAfter } of answers) {
      assert.equal(body.success, status === 200)
      assert.ok(!Number.isNaN(Date.parse(body.nextClaimTime)))
      if (status !== 200) assert.deepEqual([status, typeof body.error, Number(retryAfter) > 0], [429, 'string', true], JSON.stringify(body))
    }
    const accepted = answers.filter(({ status }) => status === 200).length
    assert.equal(accepted, 50 + 25 * 10)
    const balances = await balancesOf([...new Set(claims.map(({ address }) => address))])
    assert.equal(sum(balances.values()), BigInt(accepted) * AMOUNT_WEI)
    for (const [address, wei] of balances) assert.ok(wei === 0n || wei === AMOUNT_WEI, `${address} has ${wei}`)
    for (const ip of greedy) {
      const paid = claims.filter((one, i) => one.ip === ip && answers[i]?.status === 200)
      assert.equal(paid.length, 10)
    }
  })

  it('pays 1,000 recipients at once', async () => {
    const claims = Array.from({ length: 1_000 }, () => ({ address: newAddress(), ip: newIp() }))
    const started = performance.now()
    const answers = await Promise.all(claims.map(claim))
    const answeredMs = performance.now() - started
    await settled()
    console.log(`      1,000 payments: answered in ${answeredMs.toFixed(0)} ms, settled in ${(performance.now() - started).toFixed(0)} ms`)
    for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body))
    assert.equal(new Set(answers.map(({ body }) => body.txHash)).size, 1_000)
    for (const [address, wei] of await balancesOf(claims.map(({ address }) => address))) assert.equal(wei, AMOUNT_WEI, address)
  })

  it('pays each claim once when it is killed during the claims', async () => {
    const pid = devnet.rolePids().faucet
    assert.ok(pid)
    const claims: Claim[] = []
    const unpaid = new Set<Claim>()
    let answered = 0
    let broken = 0
    const claimUntilTheKill = async () => {
      while (answered < 60) {
        const one = { address: newAddress(), ip: newIp(), key: `kill-${claims.length}` }
        claims.push(one)
        unpaid.add(one)
        const status = await claim(one).then(
          ({ status }) => status,
          () => null,
        )
        if (status === 200) unpaid.delete(one)
        if (status === null) broken++
        else if (++answered === 60) process.kill(pid, 'SIGKILL')
      }
    }
    await Promise.all(Array.from({ length: 200 }, claimUntilTheKill))
    assert.ok(broken > 0, `all ${claims.length} were answered before the kill`)
    await eventually('another faucet', async () => (await fetch(`${url}/health`)).status === 200)
    console.log(`      killed with ${broken} of ${claims.length} claims unanswered`)
    for (const one of unpaid) {
      await eventually(`an answer for ${one.address}`, async () => (await claim(one)).status === 200)
    }
    await settled()
    for (const [address, wei] of await balancesOf(claims.map(({ address }) => address))) assert.equal(wei, AMOUNT_WEI, address)
  })

  it('grants 5 claims to an address linked to an account, and no second address to that account', async () => {
    const verify = async (wallet: { address: string; signMessage(text: string): Promise<string> }, login: string) => {
      const challenge = (await post('/api/challenge', { address: wallet.address, purpose: 'verify' })).body as {
        nonce: string
        message: string
        signInUrl: string
      }
      const page = await (await fetch(`${challenge.signInUrl}&login=${login}`)).text()
      const code = /<p>([A-Z0-9]{8})<\/p>/.exec(page)?.[1] ?? ''
      const signature = await wallet.signMessage(challenge.message)
      return post('/api/verify', { address: wallet.address, nonce: challenge.nonce, code, signature })
    }
    const wallet = Wallet.createRandom()
    const login = `person-${randomBytes(4).toString('hex')}`
    assert.deepEqual((await verify(wallet, login)).body, { success: true, tier: 'verified', account: login })
    assert.notEqual((await verify(Wallet.createRandom(), login)).status, 200)
    const ip = newIp()
    for (let i = 0; i < 5; i++) assert.equal((await claim({ address: wallet.address, ip })).status, 200)
    const sixth = await claim({ address: wallet.address, ip })
    assert.deepEqual([sixth.status, sixth.body.code], [429, 'address-limit'])
    const inHours = (Date.parse(sixth.body.nextClaimTime) - Date.now()) / 3_600_000
    assert.ok(inHours > 11.9 && inHours <= 12.1, `next claim in ${inHours} hours`)
    await eventually('five payments', async () => (await balanceWei(wallet.address)) === 5n * AMOUNT_WEI)
  })

  it('grants 10 claims a day to a developer whose application the operator approves', async () => {
    const wallet = Wallet.createRandom()
    const dataDir = join(devnet.folder, 'faucet')
    const challenge = (await post('/api/challenge', { address: wallet.address, purpose: 'apply' })).body as {
      nonce: string
      message: string
    }
    const signature = await wallet.signMessage(challenge.message)
    const application = { address: wallet.address, nonce: challenge.nonce, signature, contact: 'dev@example.org', project: 'a game' }
    assert.equal((await post('/api/apply', application)).status, 202)
    assert.equal((await post('/api/apply', application)).status, 403, 'a signature counts once')
    const listed = await runKeelson(['faucet', 'applications', '--data-dir', dataDir])
    assert.match(listed.stdout, new RegExp(`${wallet.address}.*\\n  dev@example.org\\n  a game`))
    const granted = await runKeelson(['faucet', 'grant', wallet.address, '--data-dir', dataDir])
    assert.match(granted.stdout, /is a developer now/)
    const answers = await Promise.all(Array.from({ length: 15 }, () => claim({ address: wallet.address, ip: newIp() })))
    assert.equal(answers.filter(({ status }) => status === 200).length, 10)
    await settled()
    assert.equal(await balanceWei(wallet.address), 10n * AMOUNT_WEI)
    const revoked = await runKeelson(['faucet', 'revoke', wallet.address, '--data-dir', dataDir, '--json'])
    assert.deepEqual(JSON.parse(revoked.stdout), { address: wallet.address, tier: 'anonymous', taken: ['developer'], changed: true })
  })
})
