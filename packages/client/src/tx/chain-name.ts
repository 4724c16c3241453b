export type ChainName = 'L1' | 'L2'
