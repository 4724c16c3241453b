import assert from 'node:assert/strict'
import { searchPath, suggestionsOf } from '../client/shell/suggestions.ts'

const addressOf = (byte: string) => `0x${byte.repeat(20)}`
const token = (byte: string, symbol: string | null, name: string | null = null) => ({
  ...{ address: addressOf(byte), kind: 'ERC-20', name, symbol, decimals: 6 },
})
const CONTRACTS = { TestDollar: addressOf('11'), WETH: addressOf('22') }

describe('the search field', () => {
  it('proposes a token by its symbol, which then leads to its page in any case of letters', () => {
    const found = suggestionsOf(CONTRACTS, [token('33', 'testUSD', 'Test Dollar')])
    assert.deepEqual(found.at(-1), {
      value: 'testUSD',
      label: 'testUSD, Test Dollar, ERC-20 token, 0x333333…3333',
      path: `/token/${addressOf('33')}`,
    })
    for (const text of ['testUSD', 'TESTusd']) assert.equal(searchPath(text, found), `/token/${addressOf('33')}`)
  })

  it('never leads by a symbol that several have, that a contract of the network has, or that reads as something else', () => {
    const twice = suggestionsOf({}, [token('33', 'USD'), token('44', 'usd')])
    assert.deepEqual(
      twice.map(({ value }) => value),
      [addressOf('33'), addressOf('44')],
    )
    assert.equal(searchPath('USD', twice), '/search?q=USD')
    for (const symbol of ['weth', '1234', addressOf('55'), `0x${'66'.repeat(32)}`, '', null])
      assert.equal(suggestionsOf(CONTRACTS, [token('33', symbol)]).at(-1)?.value, addressOf('33'), String(symbol))
  })

  const rows: readonly (readonly [text: string, path: string])[] = [
    ['1,234', '/block/1234'],
    ['#7', '/block/7'],
    [addressOf('aa'), `/address/${addressOf('aa')}`],
    [`0x${'bb'.repeat(32)}`, `/find/0x${'bb'.repeat(32)}`],
    ['TestDollar', `/address/${addressOf('11')}`],
    ['dollar & more', '/search?q=dollar%20%26%20more'],
  ]
  for (const [text, path] of rows)
    it(`leads from ${text.slice(0, 20)} to ${path.slice(0, 20)}`, () => assert.equal(searchPath(text, suggestionsOf(CONTRACTS, [])), path))
})
