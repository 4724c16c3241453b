const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const TEST_DOLLAR = '0x6b65656c736F6E00000000000000000000000020'
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const PASSWORD = 'correct horse battery'

const SWAP = {
  chain_id: 84_532,
  token_in_address: NATIVE,
  token_out_address: TEST_DOLLAR,
  amount_in: '0.1',
  amount_in_currency: 'token_units',
  slippage_bps: 50,
} as const
const QUOTE = {
  route: [NATIVE, TEST_DOLLAR],
  expected_out: '249.25',
  price_impact_bps: 0,
  slippage_bps: 50,
  fees: { swap_fee_bps: 30 },
  gas_estimate: null,
  venue: 'oracle_reference',
  quote_id: 'q_2f1c0a7be0b64d3f9e0f5f0e8f4b7a11',
  expires_at: '2026-01-31T12:00:00Z',
}
/** The coinbase transaction of Bitcoin's genesis block. */
const RAW_TX =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f' +
  '32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a010000004341' +
  '04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac' +
  '00000000'

export const EXAMPLES = {
  registration: { email: 'ann@example.org', password: PASSWORD },
  login: { username: 'ann@example.org', password: PASSWORD, grant_type: 'password' },
  sessionName: { name: 'morning' },
  chat: { messages: [{ role: 'user', content: 'What is the price of ETH?' }] },
  preview: { text: 'Swap 0.1 ETH for testUSD' },
  previewRun: { text: 'Swap 0.1 ETH for testUSD', evm_input: SWAP, thresholds: { max_slippage_bps: 100 } },
  research: { tvl_chain: 'devnet', price_symbol: 'ETH' },
  swap: SWAP,
  pseudoQuote: { input: SWAP },
  risk: { quote: QUOTE, input: { chain: 'evm', addresses: [NATIVE, TEST_DOLLAR], checks: ['rug', 'price_sanity'] } },
  execution: { input: { ...SWAP, simulate_only: true }, confirm: false, skip_risk: false, wallet_ref: 'devnet' },
  defidata: { tool_name: 'token_price', arguments: { symbol: 'ETH' } },
  subscribe: { symbol: 'WETHTESTUSD', market: 'spot', streams: ['trade', 'kline'], interval: '1m' },
  unsubscribe: { subscription_id: '2f1c0a7be0b64d3f9e0f5f0e' },
  decodeTx: { raw_tx: RAW_TX, network: 'mainnet' },
  validateAddress: { address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
  oraclePrice: { chain: 'devnet', pair: 'ETH/USD' },
  walletBalance: { address: WALLET, chain: 'devnet' },
  mark: { agent: 'trading', chain: 'devnet' },
  snapshot: {
    agent: 'trading',
    wallet_address: WALLET,
    chain_id: 84_532,
    holdings: [{ token_address: TEST_DOLLAR, token_symbol: 'testUSD', quantity: 250, usd_value: 250 }],
  },
  trade: {
    agent: 'trading',
    wallet_address: WALLET,
    chain_id: 84_532,
    venue: 'uniswap-v2',
    token_in_address: NATIVE,
    token_out_address: TEST_DOLLAR,
    token_in_symbol: 'ETH',
    token_out_symbol: 'testUSD',
    amount_in: '0.1',
    amount_out: '249.25',
    amount_in_usd: 250,
    amount_out_usd: 249.25,
    fees_usd: 0.02,
    status: 'success',
    simulated: false,
  },
  mcp: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
} as const
