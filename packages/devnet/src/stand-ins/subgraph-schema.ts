import { buildSchema } from 'graphql'

export const SUBGRAPH_SCHEMA = buildSchema(`
"Decimal number as text"
scalar BigDecimal
"Whole number as text"
scalar BigInt

enum OrderDirection { asc desc }
enum PoolOrder { tvlUSD id }
enum SwapOrder { timestamp amountUSD }

input SwapFilter { pool: ID, to: ID }

"The development network's own chain. A list gives at most 100 entries, all lists of a query together 500."
type Query {
  _meta: Meta!
  tokens(first: Int = 100, skip: Int = 0): [Token!]!
  token(id: ID!): Token
  pools(first: Int = 100, skip: Int = 0, orderBy: PoolOrder = tvlUSD, orderDirection: OrderDirection = desc): [Pool!]!
  pool(id: ID!): Pool
  swaps(first: Int = 20, skip: Int = 0, orderBy: SwapOrder = timestamp, orderDirection: OrderDirection = desc, where: SwapFilter): [Swap!]!
  "The newest first"
  blocks(first: Int = 20, skip: Int = 0): [Block!]!
  block(number: Int!): Block
  account(id: ID!): Account
}

type Meta {
  block: Block!
  "Swaps are known from this block on"
  swapsFromBlock: Int!
  hasIndexingErrors: Boolean!
}

type Token {
  "Address"
  id: ID!
  symbol: String!
  decimals: Int!
  "Of the price feeds; null without one"
  priceUSD: BigDecimal
}

type Pool {
  "Address"
  id: ID!
  token0: Token!
  token1: Token!
  reserve0: BigDecimal!
  reserve1: BigDecimal!
  tvlUSD: BigDecimal
  feeBps: Int!
  "The newest first"
  swaps(first: Int = 20, skip: Int = 0): [Swap!]!
}

type Swap {
  "Transaction and log index"
  id: ID!
  pool: Pool!
  blockNumber: Int!
  timestamp: Int!
  transaction: ID!
  logIndex: Int!
  amount0In: BigDecimal!
  amount1In: BigDecimal!
  amount0Out: BigDecimal!
  amount1Out: BigDecimal!
  "By the prices of now"
  amountUSD: BigDecimal
  to: ID!
}

type Block {
  "Hash"
  id: ID!
  number: Int!
  parentHash: ID!
  timestamp: Int!
  transactions: Int!
  gasUsed: BigInt!
  gasLimit: BigInt!
  baseFeeWei: BigInt
}

type Account {
  "Address"
  id: ID!
  balance: BigDecimal!
  tokens: [Holding!]!
}

type Holding {
  token: Token!
  balance: BigDecimal!
}
`)
