/** How far back contracts of the chain can look up block hashes: the parent of the current block and those before it. EIP-2935 */
export const SERVED_BLOCK_HASHES = 8_191
