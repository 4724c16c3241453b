import assert from 'node:assert/strict'
import { type Address, parseEventLogs } from 'viem'
import { CONTRACT_CHAINS, type ContractChain, type Outcome, readOwnContract } from '../support/contract-chain.ts'

const { abi } = readOwnContract('TestToken')
const DAY_SEC = 86_400
const PER_DAY = 100n
const OF_ALL = 150n
const SUPPLY = 5_000n
const HOLDER = 0
const ALICE = 1
const BOB = 2
const ZERO = '0x0000000000000000000000000000000000000000'

const gasOf: Record<string, readonly bigint[]> = {}

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`the contract TestToken on ${name}`, () => {
    let chain: ContractChain
    let token: Address
    const gas: bigint[] = []
    before(async () => {
      chain = await open()
    })
    after(() => chain.stop())
    beforeEach(async () => {
      token = await chain.deploy(readOwnContract('TestToken'), ['Test Bitcoin', 'testBTC', 8, PER_DAY, OF_ALL, address(HOLDER), SUPPLY])
    })
    const address = (index: number) => chain.accounts[index]?.address as Address
    const send = async (from: number, method: string, args: readonly unknown[]): Promise<Outcome> => {
      const outcome = await chain.send({ from, to: token, abi, name: method, args })
      gas.push(outcome.gasUsed)
      return outcome
    }
    const read = (functionName: string, args: readonly unknown[] = []) =>
      chain.reader.readContract({ address: token, abi, functionName, args })
    const event = ({ logs }: Outcome) => {
      const [log] = parseEventLogs({ abi, logs: logs as never }) as unknown as { eventName: string; args: object }[]
      return { name: log?.eventName, ...log?.args }
    }
    const nextDay = async () => {
      chain.advance(DAY_SEC - (chain.nowSec() % DAY_SEC) + 60)
      await chain.mine(1)
    }
    const endOfDay = () => (Math.floor(chain.nowSec() / DAY_SEC) + 1) * DAY_SEC

    it('returns its metadata and gives the initial supply to the holder', async () => {
      assert.deepEqual([await read('name'), await read('symbol'), await read('decimals')], ['Test Bitcoin', 'testBTC', 8])
      assert.deepEqual([await read('totalSupply'), await read('balanceOf', [address(HOLDER)])], [SUPPLY, SUPPLY])
      assert.deepEqual([await read('mintPerDay'), await read('mintPerDayOfAll')], [PER_DAY, OF_ALL])
    })

    it('is transferred by its holder, or by an approved spender within the allowance', async () => {
      assert.deepEqual(event(await send(HOLDER, 'transfer', [address(ALICE), 30n])), {
        name: 'Transfer',
        from: address(HOLDER),
        to: address(ALICE),
        value: 30n,
      })
      assert.equal((await send(ALICE, 'transfer', [address(BOB), 31n])).reverted, `ERC20InsufficientBalance(${address(ALICE)},30,31)`)
      assert.equal((await send(ALICE, 'transfer', [ZERO, 1n])).reverted, `ERC20InvalidReceiver(${ZERO})`)
      await send(ALICE, 'approve', [address(BOB), 20n])
      assert.equal((await send(BOB, 'transferFrom', [address(ALICE), address(BOB), 12n])).reverted, null)
      assert.equal(
        (await send(BOB, 'transferFrom', [address(ALICE), address(BOB), 9n])).reverted,
        `ERC20InsufficientAllowance(${address(BOB)},8,9)`,
      )
      assert.deepEqual([await read('balanceOf', [address(ALICE)]), await read('balanceOf', [address(BOB)])], [18n, 12n])
    })

    it('is minted by anyone up to the daily limits of the account and in total', async () => {
      await nextDay()
      assert.deepEqual(event(await send(ALICE, 'mint', [60n])), { name: 'Transfer', from: ZERO, to: address(ALICE), value: 60n })
      assert.equal((await send(ALICE, 'mint', [41n])).reverted, `DailyMintExceeded(41,40,${endOfDay()})`)
      assert.equal((await send(ALICE, 'mint', [40n])).reverted, null)
      assert.equal(await read('mintableBy', [address(ALICE)]), 0n)
      assert.equal(await read('mintableBy', [address(BOB)]), OF_ALL - PER_DAY)
      assert.equal((await send(BOB, 'mint', [51n])).reverted, `DailyMintExceeded(51,50,${endOfDay()})`)
      assert.equal((await send(BOB, 'mint', [50n])).reverted, null)
      assert.equal((await send(HOLDER, 'mint', [1n])).reverted, `DailyMintExceeded(1,0,${endOfDay()})`)
      assert.equal(await read('totalSupply'), SUPPLY + OF_ALL)
      await nextDay()
      assert.equal((await send(ALICE, 'mint', [101n])).reverted, `DailyMintExceeded(101,100,${endOfDay()})`)
      assert.equal((await send(ALICE, 'mint', [100n])).reverted, null)
      assert.deepEqual([await read('totalSupply'), await read('balanceOf', [address(ALICE)])], [SUPPLY + OF_ALL + PER_DAY, 200n])
    })

    it('uses the same gas on both chains', () => {
      gasOf[name] = gas
      assert.ok(gas.length > 10)
      for (const other of Object.values(gasOf)) assert.deepEqual(gas, other)
    })
  })
}
