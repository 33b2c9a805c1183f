# What a message says, read by MIME::Parser, which shares no code with Python's parser nor with ours.
use strict;
use warnings;
use Encode qw(decode encode);
use JSON::PP;
use MIME::Parser;

my $parser = MIME::Parser->new;
$parser->output_to_core(1);
$parser->tmp_to_core(1);
my $message = $parser->parse_open($ARGV[0]);
my (@files, %texts);

sub walk {
    my ($part) = @_;
    return walk_all($part->parts) if $part->parts;
    my $bytes = $part->bodyhandle->as_string;
    my $name = $part->head->recommended_filename;
    if (defined $name) {
        push @files, [decode("MIME-Header", $name), $part->effective_type, decode("latin-1", $bytes)];
    } else {
        $texts{$part->effective_type} = decode("UTF-8", $bytes);
    }
}

sub walk_all { walk($_) for @_ }

walk($message);
my %head = map { my $value = $message->head->get($_) // ""; chomp $value; ($_ => decode("MIME-Header", $value)) }
    qw(To Subject Bcc);
print encode("UTF-8", JSON::PP->new->encode({
    type => $message->effective_type, head => \%head, texts => \%texts, files => \@files,
    problems => [map { "$_" } $parser->results->errors]}));
