/** Number of ancestors whose hashes contracts can read, starting at the parent of the current block. EIP-2935 */
export const SERVED_BLOCK_HASHES = 8_191
