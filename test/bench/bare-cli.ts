import { Command } from 'commander';

/** What every command line on the parser has to load: the floor of ours. */
new Command().version('1.0.0').parse();
