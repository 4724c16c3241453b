import { createActivationWatch, FORK_ACTIVATES, type ForkSchedule } from '@keelson/chainspec'
import type { BlockReport, ExecutionNode } from '@keelson/execution'
import type { Logger } from '@keelson/primitives'

export function logBlocks(node: Pick<ExecutionNode, 'chain' | 'onBlock' | 'syncing'>, forks: ForkSchedule, log: Logger): void {
  const activations = createActivationWatch(forks)
  activations.head(node.chain.label('unsafe').header.timestampSec)
  node.onBlock((block) => {
    // A sync logs its progress instead of each block.
    if (!node.syncing()) logBlock(log, block)
    for (const fork of activations.head(block.timestampSec))
      log.info(FORK_ACTIVATES, { fork, block: block.number, timestampSec: block.timestampSec })
  })
}

function logBlock(log: Logger, block: BlockReport): void {
  log.info('block', {
    number: block.number,
    hash: block.hash,
    transactions: block.transactions,
    gasUsed: Number(block.gasUsed),
    gasLimit: Number(block.gasLimit),
    baseFeeWei: Number(block.baseFeeWei),
    elapsedMs: Number((block.elapsedMs ?? 0).toFixed(1)),
  })
}
