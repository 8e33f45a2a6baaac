import type { LoggerService } from '@nestjs/common';

/** Nest's log lines on stderr, warnings and worse only: a client shows its server's stderr to people. */
export class StderrLogger implements LoggerService {
  log(): void {
    // Start-up chatter is of no use to anybody here.
  }

  warn(message: unknown): void {
    this.print('warn', message);
  }

  error(message: unknown): void {
    this.print('error', message);
  }

  private print(level: string, message: unknown): void {
    process.stderr.write(`agentrelay-mcp ${level}: ${String(message)}\n`);
  }
}
