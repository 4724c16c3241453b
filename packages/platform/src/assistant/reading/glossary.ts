/** Terms that the assistant explains. */
import { type Word, wordsOf } from './words.ts'

const TERMS: readonly (readonly [RegExp, string])[] = [
  [
    /^(price )?slippage$/,
    'Slippage is how far the price may move between quote and execution before the swap fails, in basis points: with 50 bps (0.5 %), a swap quoted at 100 brings at least 99.5 or is not made.',
  ],
  [
    /^price impact$/,
    'Price impact is how far your own trade moves the price of the pool, in basis points. It grows with the trade and shrinks with the liquidity.',
  ],
  [/^(basis points?|bps|bp)$/, 'A basis point (bps) is a hundredth of a percent: 50 bps are 0.5 %.'],
  [/^liquidity$/, 'Liquidity is what the pools hold of both tokens. The more there is, the less a trade moves the price.'],
  [/^quote$/, 'A quote says how much of one token a swap brings for another, through which pools and until when. It moves no money.'],
  [
    /^reference quote$/,
    'A reference quote is computed from oracle prices alone, without pools. It shows a fair price and cannot be executed.',
  ],
  [
    /^(tvl|(total )?value locked)$/,
    'TVL, total value locked, is the dollar value of the tokens that the pools of a chain hold. For a figure, ask "tvl".',
  ],
  [
    /^(pnl|profit and loss)$/,
    'PnL is profit and loss: realised from what was sold, unrealised from what is held at the last price. For yours, ask "my pnl".',
  ],
  [/^gas$/, 'Gas measures the work of a transaction; its fee is the gas used times the gas price. For the current price, ask "gas price".'],
  [/^oracle( price)?$/, 'An oracle is a contract or service that publishes prices. I name the feed and its age with each price.'],
  [/^risk score$/, 'The risk score goes from 0 to 10, and 10 is the safest: 7 and above is low risk, 4 to 6.9 medium, below 4 high.'],
]
const ASKING = wordsOf('what explain define meaning mean means')
const AROUND = wordsOf('is are a an does do of please tell me can you to by in trading')
const MAX_WORDS = 10

/** Returns the explanation that a text such as `what is slippage` asks for; null when it asks for anything else. */
export function findTerm(words: readonly Word[]): string | null {
  if (words.length > MAX_WORDS || !words.some(({ lower }) => ASKING.has(lower))) return null
  const asked = words.flatMap(({ lower }) => (ASKING.has(lower) || AROUND.has(lower) ? [] : [lower])).join(' ')
  return TERMS.find(([name]) => name.test(asked))?.[1] ?? null
}
