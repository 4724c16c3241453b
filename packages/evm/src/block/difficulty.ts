/** Yellow paper 4.4.4; EIPs 2, 100, 649 and successors */
import type { EthParameters } from '@keelson/chainspec'
import { EMPTY_OMMERS_HASH, type Header } from '@keelson/primitives'

export type DifficultyParent = Pick<Header, 'difficulty' | 'timestampSec' | 'ommersHash'>
export type DifficultyBlock = Pick<Header, 'number' | 'timestampSec'>

const MIN_DIFFICULTY = 131_072n
const BOUND_DIVISOR = 2048n
const LEAST_FACTOR = -99
const STEP_SEC = 13
const ELAPSED_SEC = 10
const ELAPSED_WITH_OMMERS_SEC = 9
const PERIOD_BLOCKS = 100_000

export function nextDifficulty(parent: DifficultyParent, block: DifficultyBlock, eth: EthParameters): bigint {
  const elapsedSec = block.timestampSec - parent.timestampSec
  const factor = adjustment(elapsedSec, parent.ommersHash !== EMPTY_OMMERS_HASH, eth.difficultyFormula)
  const adjusted = parent.difficulty + (parent.difficulty / BOUND_DIVISOR) * BigInt(factor)
  const difficulty = adjusted + exponentialPart(block.number - eth.difficultyDelayBlocks)
  return difficulty < MIN_DIFFICULTY ? MIN_DIFFICULTY : difficulty
}

/** Result in 2048ths of the parent's difficulty. */
function adjustment(elapsedSec: number, parentHasOmmers: boolean, formula: EthParameters['difficultyFormula']): number {
  switch (formula) {
    case 'step':
      return elapsedSec < STEP_SEC ? 1 : -1
    case 'elapsed':
      return Math.max(1 - Math.floor(elapsedSec / ELAPSED_SEC), LEAST_FACTOR)
    case 'elapsed-and-ommers':
      return Math.max((parentHasOmmers ? 2 : 1) - Math.floor(elapsedSec / ELAPSED_WITH_OMMERS_SEC), LEAST_FACTOR)
  }
}

function exponentialPart(number: number): bigint {
  const period = Math.floor(number / PERIOD_BLOCKS)
  return period > 1 ? 1n << BigInt(period - 2) : 0n
}
