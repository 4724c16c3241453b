import assert from 'node:assert/strict'
import { keccak256Hash, utf8ToBytes } from '@keelson/primitives'
import { INDEX_ENGINES } from '../../../../../test/support/index/index-engines.ts'
import { prepareDatabase } from '../storage/migrate.ts'
import { createVerifiedStore, type VerifiedContract } from './verified-store.ts'
import { VerifyRefusal } from './verify-refusal.ts'

const HASH = keccak256Hash(utf8ToBytes('code'))
const contractOf = (changes: Partial<VerifiedContract> = {}): VerifiedContract => ({
  match: 'partial',
  file: 'Töken.sol',
  contract: 'Token',
  compilerVersion: '0.8.37',
  settings: { viaIR: true },
  sources: { 'Töken.sol': 'contract Token { string x = "\\u0000 € \u{1f511}"; }' },
  abi: [{ type: 'function', name: 'x' }],
  libraries: {},
  creation: { bytes: 7, hash: HASH },
  ...changes,
})

for (const engine of INDEX_ENGINES) {
  describe(`verified contracts in ${engine.name}`, () => {
    let opened: Awaited<ReturnType<typeof engine.open>>
    before(async () => {
      opened = await engine.open()
      await prepareDatabase(opened.first, { chainId: 901n, genesisHash: HASH })
    })
    beforeEach(() => opened.first.query('delete from verified_contracts'))
    after(() => opened.close())

    it('are read as they were saved', async () => {
      const store = createVerifiedStore(opened.first)
      assert.equal(await store.find(HASH), null)
      await store.save(HASH, contractOf())
      assert.deepEqual(await store.find(HASH), contractOf())
    })

    it('become exact once, in whatever order two uploads end', async () => {
      const store = createVerifiedStore(opened.first)
      const exact = contractOf({ match: 'exact', contract: 'Exact' })
      const others = ['A', 'B'].map((contract) => contractOf({ contract }))
      await Promise.all([...others, exact].map((one) => store.save(HASH, one)))
      assert.deepEqual(await store.save(HASH, contractOf({ contract: 'Late' })), exact)
      assert.deepEqual(await store.save(HASH, { ...exact, contract: 'Later' }), exact)
    })

    it('are refused when the store is full, and those in it stay', async () => {
      const store = createVerifiedStore(opened.first, 1_000)
      await store.save(HASH, contractOf())
      const large = contractOf({ sources: { 'A.sol': ' '.repeat(1_000) } })
      const saving = store.save(keccak256Hash(utf8ToBytes('other')), large)
      await assert.rejects(saving, (error) => error instanceof VerifyRefusal && error.problem === 'full')
      assert.deepEqual(await store.find(HASH), contractOf())
    })
  })
}
