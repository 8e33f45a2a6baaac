import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../identity';
import { INBOX_PAGE } from './inbox-page';

/** Where links to a thread lead people: one constant page, the same for every id, so that it tells nothing. */
@Public()
@Controller('inbox')
export class InboxController {
  @Get(':id')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', 'public, max-age=300')
  page(): string {
    return INBOX_PAGE;
  }
}
