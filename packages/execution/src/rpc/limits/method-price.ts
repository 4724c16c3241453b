/** Tokens charged before a call; README.md has the table. */
const PRICES: Readonly<Record<string, number>> = {
  eth_simulateV1: 10,
  debug_traceTransaction: 10,
  debug_traceCall: 10,
  debug_traceBlock: 10,
  debug_traceBlockByNumber: 10,
  debug_traceBlockByHash: 10,
  debug_executionWitness: 10,
  debug_payloadWitness: 10,
}

export function methodPrice(method: string): number {
  return Object.hasOwn(PRICES, method) ? (PRICES[method] as number) : 1
}
